/// What clients can ask for.
///
/// Owns the commands, one class each, in one package a family; the facts about them as data; the state that a
/// client has between its commands; and the rules that hold for all of them (arity, authentication, transactions,
/// refusals). Knows no framing and no sockets: arguments arrive as [Arguments], answers leave through [Reply], and
/// what else a command may do to its connection is [Link].
///
/// Threads: a client's commands run one after the other on the event loop of its connection. Clients of several
/// event loops meet in the keyspace, in [ClientRegistry], [PubSub], [Monitors] and [SlowLog], which any thread may
/// call.
///
/// Read [Command], [Arguments] and [Reply]; then [CommandFacts] with [CommandSpec], which come from `commands.txt`,
/// and [CommandTable], which joins them with the commands that each [CommandFamily] adds; then [Dispatcher], which
/// checks a request, and [CommandRunner], which runs it for a [Client].
@NullMarked
package io.tallis.command;

import org.jspecify.annotations.NullMarked;
