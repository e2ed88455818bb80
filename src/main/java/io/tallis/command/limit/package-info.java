/// Limits of requests: commands that admit a request or refuse it, by what this node has seen.
///
/// Read [LimitCommands], then the two ways to limit, [ThrottleCommand] and [WindowCommand].
@NullMarked
package io.tallis.command.limit;

import org.jspecify.annotations.NullMarked;
