/// The way of a request to its command.
///
///     RequestHandler ─▶ Dispatcher ─▶ CommandTable      which command is it?
///                          │  ╰─────▶ WriteGate, LoadState, LoopState     may it run now?
///                          ▼
///                     CommandRunner ─▶ Command.run      count, time, run, turn exceptions into replies
///
/// Owns the checks that apply to all commands, in Redis's order: arity, authentication, rights, memory, disk,
/// subscriptions, loading, length of keys, transactions.
///
/// Threads: every event loop calls the dispatcher for its own clients. What they share is immutable or thread-safe.
@NullMarked
package io.tallis.command.dispatch;

import org.jspecify.annotations.NullMarked;
