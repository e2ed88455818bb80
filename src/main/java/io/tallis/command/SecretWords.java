package io.tallis.command;

/// Which words of a request are never shown to operators: so many behind each word that is `mark`.
public record SecretWords(String mark, int count) {
    static final SecretWords NONE = new SecretWords("", 0);
}
