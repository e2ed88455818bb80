package io.tallis.command;

/// One command: what it does with its arguments.
///
/// By the time it runs, the number of arguments fits, the client may use it, and a change is not refused by disk or
/// memory. It answers exactly once, through `reply` or by suspending the client; a [CommandError] is the answer
/// instead of, never after, another. Linear: look up, check, parse, apply, reply; nothing is changed when it
/// answers an error.
@FunctionalInterface
public interface Command {
    void run(Arguments arguments, Client client, Reply reply);

    /// Throws where the words ask for something that Redis does and we never will. A transaction is refused as a whole
    /// then, before anything of it is done.
    default void refuseImpossible(Arguments arguments) {}
}
