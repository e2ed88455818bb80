package io.tallis.command;

/// A command that waits for `EXEC`, with its words one after the other.
public final class QueuedCommand {
    private final CommandEntry entry;
    private final byte[] bytes;
    private final int[] lengths;

    private QueuedCommand(CommandEntry entry, byte[] bytes, int[] lengths) {
        this.entry = entry;
        this.bytes = bytes;
        this.lengths = lengths;
    }

    static QueuedCommand copyOf(CommandEntry entry, Arguments arguments) {
        byte[] bytes = new byte[sizeOf(arguments)];
        int[] lengths = new int[arguments.count()];
        int end = 0;
        for (int word = 0; word < lengths.length; word++) {
            lengths[word] = arguments.length(word);
            System.arraycopy(arguments.array(), arguments.offset(word), bytes, end, lengths[word]);
            end += lengths[word];
        }
        return new QueuedCommand(entry, bytes, lengths);
    }

    /// The bytes of all words.
    static int sizeOf(Arguments arguments) {
        int size = 0;
        for (int word = 0; word < arguments.count(); word++) {
            size += arguments.length(word);
        }
        return size;
    }

    public CommandEntry entry() {
        return entry;
    }

    /// Shows the words as the arguments that they were.
    public void restore(Arguments arguments) {
        arguments.begin(bytes);
        int offset = 0;
        for (int length : lengths) {
            arguments.add(offset, length);
            offset += length;
        }
    }
}
