package io.tallis.command;

/// The code of one command.
///
/// When it runs, the dispatcher has checked the arity, the client's permission, and that disk and memory accept a
/// change. It replies exactly once: through `reply`, by suspending the client and replying later, or by throwing a
/// [CommandError] before any other reply. The order is always the same: look up, check, parse, apply, reply. A command
/// that replies with an error has changed nothing.
@FunctionalInterface
public interface Command {
    void run(Arguments arguments, Client client, Reply reply);
}
