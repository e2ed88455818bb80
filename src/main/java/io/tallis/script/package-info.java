/// Runs scripts in Lua 5.1, within bounds: a virtual machine and the libraries that Redis gives to scripts.
///
///     text ─▶ Lexer ─▶ Parser ─▶ CodeWriter ─▶ Prototype          once for a script, shared by all threads
///     Prototype ─▶ Machine ─▶ Builtin ...                         each event loop has a machine
///
/// Owns the language, and knows neither commands nor counters: `redis.call` goes through [Host].
///
/// Nothing that a script does takes long or takes much memory. Each instruction is a step; what libraries do in loops,
/// and what is allocated, costs steps in proportion, and a script that has used up its steps ends ([Machine#charge]).
/// Calls between functions in Lua do not use the stack of the thread; all other recursion has a bound.
///
/// In reading order: [LuaValue] and its kinds, [Prototype], [Parser], [Machine], [Interpreter], [Call], libraries.
@NullMarked
package io.tallis.script;

import org.jspecify.annotations.NullMarked;
