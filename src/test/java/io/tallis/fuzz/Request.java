package io.tallis.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/// The words of a request, and what becomes of its reply. Each letter of a word is a byte.
record Request(List<String> words, Answer answer) {
    enum Answer {
        COMPARED,
        /// Any reply will do, since what was there before may differ.
        READ,
        /// CLIENT REPLY suppresses it.
        NONE
    }

    private static final int SHOWN_LETTERS = 400;

    static Request of(String... words) {
        return new Request(List.of(words), Answer.COMPARED);
    }

    static Request of(List<String> words) {
        return new Request(List.copyOf(words), Answer.COMPARED);
    }

    Request with(Answer other) {
        return new Request(words, other);
    }

    /// The name in lower case; that of a container with its subcommand: `client|setname`.
    String name() {
        String first = words.getFirst().toLowerCase(Locale.ROOT);
        return Vocabulary.isContainer(first) && words.size() > 1
                ? first + '|' + words.get(1).toLowerCase(Locale.ROOT)
                : first;
    }

    byte[] encoded() {
        StringBuilder text = new StringBuilder("*").append(words.size()).append("\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /// As one would type it in redis-cli.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String word : words) {
            text.append(text.isEmpty() ? "" : " ").append(typed(word));
        }
        return text.toString();
    }

    static String typed(String word) {
        StringBuilder text = new StringBuilder();
        boolean plain = !word.isEmpty();
        for (char letter :
                word.substring(0, Math.min(word.length(), SHOWN_LETTERS)).toCharArray()) {
            plain &= letter > ' ' && letter < 127 && letter != '"' && letter != '\'' && letter != '\\';
            if (letter == '\n') {
                text.append("\\n");
            } else if (letter < ' ' || letter > 126) {
                text.append(String.format("\\x%02x", (int) letter));
            } else {
                text.append(letter == '"' || letter == '\\' ? "\\" : "").append(letter);
            }
        }
        if (word.length() > SHOWN_LETTERS) {
            text.append("{and ").append(word.length() - SHOWN_LETTERS).append(" more}");
        }
        return plain ? text.toString() : '"' + text.toString() + '"';
    }
}
