package io.tallis.acl;

/// A selector that does not end, and so is no rule.
public final class UnmatchedParenthesisException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnmatchedParenthesisException(String first) {
        super("Unmatched parenthesis in acl selector starting at '" + Words.shown(first) + "'.", null, false, false);
    }
}
