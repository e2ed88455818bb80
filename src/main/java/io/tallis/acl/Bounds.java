package io.tallis.acl;

/// The bounds of users and their rules (I6). At each the rule is refused and nothing changes.
final class Bounds {
    static final int MOST_USERS = 10_000;
    static final int LONGEST_NAME = 1024;
    static final int MOST_PASSWORDS = 64;
    static final int MOST_SELECTORS = 64;

    /// Of all selectors of a user together.
    static final int MOST_PATTERNS = 1024;

    private Bounds() {}

    static void requireRoom(String rule, int have, int most, String what) {
        if (have >= most) {
            throw new RuleException(rule, "a user can have at most " + most + " " + what);
        }
    }
}
