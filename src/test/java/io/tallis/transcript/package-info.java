/// Dialogues between clients and the server as texts that are run as tests: requests, and what redis-cli would print.
///
/// They use the real commands on a real keyspace, without sockets. [Transcript] describes the format.
@NullMarked
package io.tallis.transcript;

import org.jspecify.annotations.NullMarked;
