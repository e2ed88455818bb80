package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.keyspace.Score;
import java.util.EnumSet;
import java.util.Set;

/// The options of `ZADD`, `[NX | XX] [GT | LT] [CH] [INCR]`, and the first word behind them, which is a score.
record AddOptions(Set<Option> options, int first) {
    private enum Option {
        /// Only members that are new.
        NX,
        /// Only members that exist.
        XX,
        /// Of those that exist only with a greater score.
        GT,
        /// Of those that exist only with a lesser score.
        LT,
        /// The reply counts the members that were changed.
        CH,
        /// The score is added.
        INCR
    }

    static AddOptions of(Arguments arguments) {
        Set<Option> options = EnumSet.noneOf(Option.class);
        int word = 2;
        while (word < arguments.count() && addOption(arguments, word, options)) {
            word++;
        }
        AddOptions parsed = new AddOptions(options, word);
        parsed.requireConsistent(arguments.count() - word);
        return parsed;
    }

    private static boolean addOption(Arguments arguments, int word, Set<Option> options) {
        for (Option option : Option.values()) {
            if (arguments.is(word, option.name())) {
                options.add(option);
                return true;
            }
        }
        return false;
    }

    private void requireConsistent(int words) {
        if (words == 0 || words % 2 != 0) {
            throw CommandError.syntax();
        }
        if (has(Option.NX) && has(Option.XX)) {
            throw new CommandError("ERR XX and NX options at the same time are not compatible");
        }
        if ((has(Option.GT) && has(Option.LT)) || (has(Option.NX) && (has(Option.GT) || has(Option.LT)))) {
            throw new CommandError("ERR GT, LT, and/or NX options at the same time are not compatible");
        }
        if (adds() && words > 2) {
            throw new CommandError("ERR INCR option supports a single increment-element pair");
        }
    }

    private boolean has(Option option) {
        return options.contains(option);
    }

    boolean adds() {
        return has(Option.INCR);
    }

    boolean countsChanged() {
        return has(Option.CH);
    }

    boolean allowNew() {
        return !has(Option.XX);
    }

    /// Whether a member with this score may get another one.
    boolean allow(Score present, Score score) {
        int compared = score.compareTo(present);
        return !has(Option.NX) && (!has(Option.GT) || compared > 0) && (!has(Option.LT) || compared < 0);
    }
}
