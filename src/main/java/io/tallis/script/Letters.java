package io.tallis.script;

/// Kinds of bytes, as in the C locale.
final class Letters {
    private Letters() {}

    static boolean isDigit(int letter) {
        return letter >= '0' && letter <= '9';
    }

    static boolean isUpper(int letter) {
        return letter >= 'A' && letter <= 'Z';
    }

    static boolean isLower(int letter) {
        return letter >= 'a' && letter <= 'z';
    }

    static boolean isAlpha(int letter) {
        return isUpper(letter) || isLower(letter);
    }

    static boolean isAlphanumeric(int letter) {
        return isAlpha(letter) || isDigit(letter);
    }

    static boolean isSpace(int letter) {
        return letter == ' ' || (letter >= '\t' && letter <= '\r');
    }

    static boolean isControl(int letter) {
        return (letter >= 0 && letter < ' ') || letter == 127;
    }

    static boolean isPunctuation(int letter) {
        return letter > ' ' && letter < 127 && !isAlphanumeric(letter);
    }

    /// The value of a digit in a base up to 36, or -1.
    static int digit(int letter) {
        if (isDigit(letter)) {
            return letter - '0';
        }
        if (isLower(letter)) {
            return letter - 'a' + 10;
        }
        return isUpper(letter) ? letter - 'A' + 10 : -1;
    }

    static byte upper(byte letter) {
        return isLower(letter) ? (byte) (letter - ('a' - 'A')) : letter;
    }

    static byte lower(byte letter) {
        return isUpper(letter) ? (byte) (letter + ('a' - 'A')) : letter;
    }
}
