/// HTTP: counters by name, the commands of Redis, and the health of the node, with requests and responses in JSON; its
/// metrics as text; and a page for people, whose files are resources of this package.
///
/// Owns the form of requests and responses. It runs no command: [HttpConnection] translates a request into requests of
/// RESP for the connection behind it, and the replies into a response. So this package knows no counter, no journal and
/// no client.
///
/// Read [HttpFrontEnd], [HttpConnection] with [RequestHead] and [Access], then [Router] with what answers:
/// [CountersApi], [CommandsApi] and [Page]. [Work] and [ReplyReader] are the translation to and from RESP.
///
/// Threads: the event loop of each connection.
@NullMarked
package io.tallis.http;

import org.jspecify.annotations.NullMarked;
