/// The clients of all event loops together: which are connected, what they do, what took long.
///
/// Owns the registry, the receivers of `MONITOR`, and the slow log. Any thread may call.
@NullMarked
package io.tallis.command.clients;

import org.jspecify.annotations.NullMarked;
