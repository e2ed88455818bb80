package io.tallis.acl;

/// A rule that is not valid, with the reason in Redis's words. The user that it was meant for has not changed.
public final class RuleException extends RuntimeException {
    static final String SYNTAX = "Syntax error";
    static final String UNKNOWN = "Unknown command or category name in ACL";

    private static final int MOST_SHOWN = 256;

    private static final long serialVersionUID = 1;

    private final String rule;

    RuleException(String rule, String reason) {
        super(reason, null, false, false);
        this.rule = rule;
    }

    /// The rule as people read it, cut to a length that fits an error.
    public String shown() {
        return Words.shown(rule.substring(0, Math.min(rule.length(), MOST_SHOWN)));
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
