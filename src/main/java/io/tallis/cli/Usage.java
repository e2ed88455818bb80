package io.tallis.cli;

import io.tallis.config.Setting;
import io.tallis.config.Settings;

/// The text of `--help`, wrapped at [#COLUMNS] columns.
final class Usage {
    static final int COLUMNS = 80;

    private static final String INDENT = "      ";

    private static final String HEAD = """
            Runs a node of Tallis, a counter server that speaks the Redis protocol.

            Usage: tallis [FILE] [--setting value ...]
                   tallis keygen KEYFILE

              FILE            a configuration file, such as conf/tallis.conf
              keygen KEYFILE  write a new key for cluster-key-file and exit
              -h, --help      print this help and exit
              -v, --version   print the version and exit

            Each setting can also be given in the file, as 'port 7000', or in the
            environment, as TALLIS_PORT=7000. The environment overrides the file, and the
            command line overrides both. Defaults are in brackets.
            """;

    private Usage() {}

    static String text() {
        var text = new StringBuilder(HEAD);
        for (Settings.Group group : Settings.groups()) {
            text.append('\n').append(group.title()).append('\n');
            group.settings().forEach(setting -> append(setting, text));
        }
        return text.toString();
    }

    private static void append(Setting<?> setting, StringBuilder text) {
        String label = setting.type().label();
        boolean choice = label.indexOf('|') >= 0;
        String option = "  " + setting.option() + " " + (choice ? label : "<" + label + ">");
        String given = setting.defaultText().isEmpty() ? "" : "  [" + setting.defaultText() + "]";
        boolean fits = option.length() + given.length() <= COLUMNS;
        text.append(option).append(fits ? given : "\n" + INDENT + given.strip()).append('\n');
        appendWrapped(setting.doc(), text);
    }

    private static void appendWrapped(String sentence, StringBuilder text) {
        var line = new StringBuilder(INDENT);
        for (String word : sentence.split(" ", -1)) {
            if (line.length() + word.length() > COLUMNS) {
                text.append(line.toString().stripTrailing()).append('\n');
                line.setLength(INDENT.length());
            }
            line.append(word).append(' ');
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
