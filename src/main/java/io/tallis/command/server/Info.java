package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// `INFO [section ...]`: renders the sections as Redis does, a heading per section and `name:value` per line.
///
/// This is the only place that knows how `INFO` formats a field. As in Redis, an unknown section adds nothing.
public final class Info implements Command {
    private static final String[] UNITS = {"B", "K", "M", "G", "T", "P"};

    private final List<InfoSection> sections;

    public Info(List<InfoSection> sections) {
        this.sections = List.copyOf(sections);
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Set<String> wanted = new HashSet<>();
        for (int word = 1; word < arguments.count(); word++) {
            wanted.add(arguments.text(word).toLowerCase(Locale.ROOT));
        }
        boolean all = wanted.contains("all") || wanted.contains("everything");
        boolean defaults = wanted.isEmpty() || wanted.contains("default");
        reply.text(sections.stream()
                .filter(section -> all || (defaults && section.shownByDefault()) || wanted.contains(section.name()))
                .map(section -> "# " + title(section) + "\r\n" + lines(section.fields()))
                .collect(Collectors.joining("\r\n")));
    }

    private static String title(InfoSection section) {
        String name = section.name();
        return name.equals("cpu") ? "CPU" : Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    /// The fields, one per line. A size in bytes has a second line for people.
    public static String lines(List<InfoField> fields) {
        StringBuilder lines = new StringBuilder();
        for (InfoField field : fields) {
            line(field.name(), value(field), lines);
            if (field instanceof InfoField.Bytes bytes) {
                line(bytes.name() + "_human", human(bytes.value()), lines);
            }
        }
        return lines.toString();
    }

    private static void line(String name, String value, StringBuilder lines) {
        lines.append(name).append(':').append(value).append("\r\n");
    }

    private static String value(InfoField field) {
        return switch (field) {
            case InfoField.Count number -> Long.toString(number.value());
            case InfoField.Bytes bytes -> Long.toString(bytes.value());
            case InfoField.Flag flag -> flag.value() ? "1" : "0";
            case InfoField.Decimal decimal -> decimal(decimal.value(), decimal.places());
            case InfoField.Percent percent -> decimal(percent.value(), 2) + "%";
            case InfoField.Text text -> oneLine(text.value());
            case InfoField.Group group ->
                group.members().stream().map(Info::member).collect(Collectors.joining(","));
        };
    }

    /// A text in a group must not pass for further members, since other nodes choose their own names.
    private static String member(InfoField field) {
        String value = value(field);
        return field.name() + "="
                + (field instanceof InfoField.Text ? value.replace(',', '_').replace('=', '_') : value);
    }

    private static String oneLine(String value) {
        return value.replace('\r', ' ').replace('\n', ' ');
    }

    private static String decimal(double value, int places) {
        return String.format(Locale.ROOT, "%." + places + "f", value);
    }

    /// A size in the unit that is easiest to read.
    static String human(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + "B" : decimal(amount, 2) + UNITS[unit];
    }
}
