package io.tallis.acl;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Words of rules. A rule is a string of bytes: each character of it is one byte.
final class Words {
    private Words() {}

    static String of(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /// The rule as people read it.
    static String shown(String rule) {
        return new String(rule.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /// Whether there is a blank or a null, which would break the lines of files.
    static boolean hasBlank(String text) {
        return text.chars().anyMatch(Words::isBlank);
    }

    private static boolean isBlank(int letter) {
        return letter == ' ' || letter == 0 || (letter >= '\t' && letter <= '\r');
    }

    /// The parts between blanks, of which none is empty.
    static List<String> split(String text) {
        List<String> words = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || isBlank(text.charAt(i))) {
                if (i > start) {
                    words.add(text.substring(start, i));
                }
                start = i + 1;
            }
        }
        return words;
    }

    /// The rules in these words: a selector in parentheses may be several words.
    static List<String> rules(List<String> words) {
        List<String> rules = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        String first = "";
        for (String word : words) {
            if (open.isEmpty() && word.startsWith("(") && !word.endsWith(")")) {
                open.append(word);
                first = word;
            } else if (open.isEmpty()) {
                rules.add(word);
            } else {
                open.append(' ').append(word);
                if (word.endsWith(")")) {
                    rules.add(open.toString());
                    open.setLength(0);
                }
            }
        }
        if (!open.isEmpty()) {
            throw new UnmatchedParenthesisException(first);
        }
        return rules;
    }
}
