package io.tallis.acl;

import io.tallis.command.CommandEntry;

/// A pattern of keys and what a selector may do to them: bits as those of [CommandEntry#keyNeeds].
record KeyPattern(Pattern pattern, int allowed) {
    private static final int BOTH = CommandEntry.READS_KEYS | CommandEntry.WRITES_KEYS;

    /// Whether a command with these needs may use the key.
    boolean allows(int needs, byte[] array, int offset, int length) {
        return (allowed & needs) == needs && pattern.matches(array, offset, length);
    }

    /// As a rule.
    @Override
    public String toString() {
        return (allowed == BOTH ? "~" : allowed == CommandEntry.READS_KEYS ? "%R~" : "%W~") + pattern;
    }

    /// Of a rule that begins with `~` or `%`.
    static KeyPattern of(String rule) {
        int start = rule.indexOf('~');
        int allowed = rule.charAt(0) == '~' ? BOTH : 0;
        for (int i = 1; i < start; i++) {
            int bit = switch (rule.charAt(i)) {
                case 'R', 'r' -> CommandEntry.READS_KEYS;
                case 'W', 'w' -> CommandEntry.WRITES_KEYS;
                default -> 0;
            };
            if (bit == 0 || (allowed & bit) != 0) {
                throw new RuleException(rule, RuleException.SYNTAX);
            }
            allowed |= bit;
        }
        if (start < 0 || allowed == 0) {
            throw new RuleException(rule, RuleException.SYNTAX);
        }
        return new KeyPattern(Selector.pattern(rule, start + 1), allowed);
    }
}
