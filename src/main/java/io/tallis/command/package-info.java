/// What clients can ask for: the commands and what they are written with.
///
/// This package has what a command uses: its [Arguments], its [Reply], the [Client] with its [Transaction] and
/// [Subscriptions], and helpers for keys, numbers and atomic changes. The commands are in subpackages, one per family;
/// [CommandFamily] registers them in a [CommandSet].
///
///     resp ─▶ dispatch ─▶ connection  transaction  pubsub  counter  redis  server  cluster
///                │             │           │          │       │       │      │        │
///                │             ╰───────────┴──────────┴── Command ────┴──────┴────────╯
///                ▼
///             clients (registry, MONITOR, slow log) ─▶ pubsub ─▶ command (this package) ─▶ facts
///
/// What a client may run is asked of its [User], whose rules are in `io.tallis.acl`.
///
/// It knows neither sockets nor the encoding of RESP. What else a command may do to its connection is [Link].
///
/// Threads: the commands of a client run one after the other on the event loop of its connection. Clients of different
/// event loops share the keyspace and the objects of `clients` and `pubsub`, which are thread-safe.
///
/// Read [Command], [Arguments] and [Reply], then [io.tallis.command.dispatch.Dispatcher].
@NullMarked
package io.tallis.command;

import org.jspecify.annotations.NullMarked;
