package io.tallis.cli;

import io.tallis.config.Setting;
import io.tallis.config.Settings;

/// The text of `--help`, for a terminal of [#COLUMNS] columns.
final class Usage {
    static final int COLUMNS = 80;

    private static final String INDENT = "      ";

    private static final String HEAD = """
            Counts for many clients that speak the Redis protocol.

            Usage: tallis [FILE] [--setting value ...]
                   tallis keygen KEYFILE

              FILE            a file of settings, such as conf/tallis.conf
              keygen KEYFILE  write a new key for cluster-key-file, and exit
              -h, --help      show this and exit
              -v, --version   show the version and exit

            Each setting may also stand in the file, as 'port 7000', or in the environment,
            as TALLIS_PORT=7000. The file is overruled by the environment, both by the
            command line. Defaults are in brackets.
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
