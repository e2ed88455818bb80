package io.tallis.acl;

import io.tallis.command.Arguments;
import io.tallis.command.CommandEntry;
import io.tallis.command.Denial.Reason;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One set of permissions: commands, with the keys and channels that they may use. Immutable.
record Selector(
        AllowedCommands commands, boolean allKeys, List<KeyPattern> keys, boolean allChannels, List<Pattern> channels) {
    static final int ALLOWED = 0;

    /// A denial is a number: one of these, plus the word. So of several selectors the largest is what Redis reports.
    private static final int DENIES_COMMAND = 1 << 24;

    private static final int DENIES_KEY = 2 << 24;
    private static final int DENIES_CHANNEL = 3 << 24;

    boolean allowsAll() {
        return commands.all() && allKeys && allChannels;
    }

    int patterns() {
        return keys.size() + channels.size();
    }

    /// [#ALLOWED], or a denial for [#reason] and [#word].
    int check(CommandEntry entry, Arguments arguments, boolean needsNoRight) {
        if (!needsNoRight && !commands.allow(entry, arguments)) {
            return DENIES_COMMAND;
        }
        int denied = allKeys || entry.firstKey() == 0 ? ALLOWED : checkKeys(entry, arguments);
        if (denied == ALLOWED && !allChannels && entry.hasChannels()) {
            denied = checkChannels(entry, arguments);
        }
        return denied;
    }

    static Reason reason(int denied) {
        if (denied >= DENIES_CHANNEL) {
            return Reason.CHANNEL;
        }
        return denied >= DENIES_KEY ? Reason.KEY : Reason.COMMAND;
    }

    static int word(int denied) {
        return denied % DENIES_COMMAND;
    }

    private int checkKeys(CommandEntry entry, Arguments arguments) {
        int last = entry.lastKey(arguments.count());
        for (int word = entry.firstKey(); word <= last; word += entry.keyStep()) {
            if (!allowsKey(entry.keyNeeds(arguments, word), arguments, word)) {
                return DENIES_KEY + word;
            }
        }
        return ALLOWED;
    }

    private boolean allowsKey(int needs, Arguments arguments, int word) {
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).allows(needs, arguments.array(), arguments.offset(word), arguments.length(word))) {
                return true;
            }
        }
        return false;
    }

    private int checkChannels(CommandEntry entry, Arguments arguments) {
        int last = entry.lastChannel(arguments.count());
        boolean isPattern = entry.hasChannelPatterns();
        for (int word = 1; word <= last; word++) {
            if (!allowsChannel(isPattern, arguments.array(), arguments.offset(word), arguments.length(word))) {
                return DENIES_CHANNEL + word;
            }
        }
        return ALLOWED;
    }

    /// A pattern that a client subscribes to is allowed only if a rule has the very same: what it matches may be more
    /// than what the rules match.
    boolean allowsChannel(boolean isPattern, byte[] array, int offset, int length) {
        if (allChannels) {
            return true;
        }
        for (Pattern channel : channels) {
            if (isPattern ? channel.is(array, offset, length) : channel.matches(array, offset, length)) {
                return true;
            }
        }
        return false;
    }

    /// The pattern in a rule, from `start` on.
    static Pattern pattern(String rule, int start) {
        String text = rule.substring(start);
        if (Words.hasBlank(text)) {
            throw new RuleException(rule, RuleException.SYNTAX);
        }
        if (text.length() > Pattern.LONGEST) {
            throw new RuleException(rule, "a pattern has at most " + Pattern.LONGEST + " bytes");
        }
        return new Pattern(text);
    }

    String keysText() {
        return allKeys ? "~*" : joined(keys.stream());
    }

    String channelsText() {
        return allChannels ? "&*" : joined(channels.stream().map(pattern -> "&" + pattern));
    }

    private static String joined(Stream<?> patterns) {
        return patterns.map(String::valueOf).collect(Collectors.joining(" "));
    }

    /// As rules.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(keysText());
        text.append(text.isEmpty() ? "" : " ");
        text.append(allChannels ? "" : "resetchannels ");
        text.append(channelsText());
        text.append(allChannels || !channels.isEmpty() ? " " : "");
        return text.append(commands.text()).toString();
    }
}
