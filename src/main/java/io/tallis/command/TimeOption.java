package io.tallis.command;

import org.jspecify.annotations.Nullable;

/// The deadline that the options of a request ask for: `EX seconds` and the like, `KEEPTTL` or `PERSIST`. At most one
/// of them, which may be repeated.
public final class TimeOption {
    private final Arguments arguments;
    private @Nullable TimeForm form;
    private int timeWord;
    private boolean hasWord;

    public TimeOption(Arguments arguments) {
        this.arguments = arguments;
    }

    /// Takes the option at a word and its time. Returns how many words they are, 0 if the word is no such option.
    public int take(int word) {
        TimeForm next = TimeForm.ofOption(arguments, word);
        if (next == null) {
            return 0;
        }
        if (hasWord || (form != null && form != next) || word + 1 == arguments.count()) {
            throw CommandError.syntax();
        }
        form = next;
        timeWord = word + 1;
        return 2;
    }

    /// Takes a word that stands in place of a time. Returns whether the word at that place is this one.
    public boolean takeWord(String upperCase, int word) {
        if (!arguments.is(word, upperCase)) {
            return false;
        }
        if (form != null) {
            throw CommandError.syntax();
        }
        hasWord = true;
        return true;
    }

    public boolean hasTime() {
        return form != null;
    }

    /// Whether [#takeWord] took any.
    public boolean hasWord() {
        return hasWord;
    }

    /// The deadline of the time; [Life#NEVER] or [Counters#KEEP] if there is none. `command` is named in the error.
    public long deadlineOr(long otherwise, Client client, String command) {
        return form == null ? otherwise : form.positive(arguments, timeWord, client, command);
    }
}
