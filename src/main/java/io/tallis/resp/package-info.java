/// The Redis protocol on Netty: decode, hand over, encode; limits, back-pressure, TLS.
///
/// Owns sockets, event loops, connections, the bytes of requests and replies, and when replies may leave (I3). Does
/// not know what a command does.
@NullMarked
package io.tallis.resp;

import org.jspecify.annotations.NullMarked;
