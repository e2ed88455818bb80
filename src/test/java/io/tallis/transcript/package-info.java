/// Dialogues of clients with the server, as texts that are run: what goes in, what redis-cli would show.
///
/// Runs the real commands on a real keyspace, without sockets. Read [Transcript] for the form of the texts.
@NullMarked
package io.tallis.transcript;

import org.jspecify.annotations.NullMarked;
