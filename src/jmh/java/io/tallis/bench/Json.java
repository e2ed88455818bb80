package io.tallis.bench;

import java.util.List;
import java.util.Map;

/// Writes maps, lists, texts, numbers and booleans as JSON, indented; a number that JSON does not know becomes
/// null.
final class Json {
    private static final String INDENT = "  ";

    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String of(Map<String, ?> object) {
        Json json = new Json();
        json.value(object, "\n");
        return json.out.append('\n').toString();
    }

    private void value(Object value, String lineBreak) {
        switch (value) {
            case Map<?, ?> object -> object(object, lineBreak);
            case List<?> array -> array(array, lineBreak);
            case Double number -> out.append(Double.isFinite(number) ? number.toString() : "null");
            case Number number -> out.append(number);
            case Boolean bool -> out.append(bool.booleanValue());
            default -> text(value.toString());
        }
    }

    private void object(Map<?, ?> object, String lineBreak) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(separator).append(lineBreak).append(INDENT);
            text(String.valueOf(entry.getKey()));
            out.append(": ");
            value(entry.getValue(), lineBreak + INDENT);
            separator = ",";
        }
        out.append(lineBreak).append('}');
    }

    private void array(List<?> array, String lineBreak) {
        out.append('[');
        String separator = "";
        for (Object element : array) {
            out.append(separator);
            value(element, lineBreak + INDENT);
            separator = ", ";
        }
        out.append(']');
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
