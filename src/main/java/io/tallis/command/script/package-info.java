/// Scripts of clients: `EVAL`, `SCRIPT` and their kin.
///
///     EVAL ─▶ ScriptCommands ─▶ ScriptCache ─▶ ScriptRunner ─▶ Sandbox ─▶ Lua
///                                                  │               │ redis.call
///                                               ReplyWriter    NestedCommands ─▶ ReplyCapture
///
/// Owns which scripts there are, and how they meet commands and counters; the language belongs to
/// [io.tallis.script].
///
/// Threads: a script runs on the event loop of its client, which has one [ScriptRunner]. The cache is shared.
@NullMarked
package io.tallis.command.script;

import org.jspecify.annotations.NullMarked;
