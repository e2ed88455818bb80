/// What clients can ask for.
///
/// Owns the commands, one class each, in one package a family; the facts about them as data; the state that a
/// client has between its commands; and the rules that hold for all of them (arity, authentication, transactions,
/// refusals). Knows no framing and no sockets: arguments arrive as [Arguments], answers leave through [Reply], and
/// what else a command may do to its connection is [Link].
///
/// Threads: a client's commands run one after the other on the event loop of its connection.
@NullMarked
package io.tallis.command;

import org.jspecify.annotations.NullMarked;
