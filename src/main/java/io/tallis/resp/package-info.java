/// The Redis protocol (RESP) on Netty: decoding, replies, limits, back-pressure, TLS.
///
/// Owns sockets, event loops, connections, the encoding of requests and replies, and the moment when a reply may leave
/// (I3). It does not know what a command does.
///
///     RespServer ─▶ Admission ─▶ FrontEnd           accept connections; [io.tallis.resp.socket] has the sockets
///          │
///          ▼
///     RespConnection                                one client; knows all of its parts:
///          │
///          ├─▶ Input ─▶ RequestDecoder               bytes become requests
///          ├─▶ RequestBatch ─▶ RequestHandler        requests are decoded ahead, then handled in order
///          ├─▶ ReplyEncoder ─▶ Outbox                replies become bytes, and wait for the journal
///          ├─▶ ConnectionLink                        entrance for commands and other threads
///          ├─▶ Flow, ConnectionLimits, ConnectionEnd when to stop, when to close
///          ▼
///     RespLoop                                      shared by the connections of one event loop:
///          ├─▶ LoopTurns ─▶ TurnLog (journal)        changes of a turn go to the journal together
///          └─▶ Evictor ─▶ ClientMemory               memory of all clients
///
/// Calls go down. What a lower class has to tell a connection goes through an interface that the lower class owns:
/// [LoopMember] for the event loop, [ConnectionLink.Target] for the link.
///
/// Threads: the event loops `resp-1`, `resp-2`, ... A connection and its parts are used by its own event loop only,
/// except for the methods that say that any thread may call them.
@NullMarked
package io.tallis.resp;

import org.jspecify.annotations.NullMarked;
