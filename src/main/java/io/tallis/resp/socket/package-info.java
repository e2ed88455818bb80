/// Sockets and event loops, without the Redis protocol: transports of Netty, listeners, TLS, tasks.
///
/// Read [NettyTransport], [Listeners] and [Tls]. [LoopTask] is how everything else submits tasks to an event loop;
/// [NotifySocket] sends to a service manager.
@NullMarked
package io.tallis.resp.socket;

import org.jspecify.annotations.NullMarked;
