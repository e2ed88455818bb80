/// The Redis protocol on Netty: decode, hand over, encode; limits, back-pressure, TLS.
///
/// Owns sockets, event loops, connections, the bytes of requests and replies, and when replies may leave (I3). Does
/// not know what a command does.
///
/// Threads: the event loops `resp-1`, `resp-2`, ...; a connection and all that belongs to it is used by its own
/// event loop only, but for what says that any thread may ask.
///
/// Read [RespServer], [RespConnection], then what it is made of: [Input] with [RequestDecoder], [Delivery] with
/// [ReplyEncoder], [Outbox] and [Turns], [Flow], [Patience] and [Ending]. Clients come in by [Listeners] and
/// [Admission].
@NullMarked
package io.tallis.resp;

import org.jspecify.annotations.NullMarked;
