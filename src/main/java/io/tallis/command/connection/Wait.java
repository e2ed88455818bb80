package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Link;
import io.tallis.command.Numbers;
import io.tallis.command.Peers;
import io.tallis.command.Reply;
import java.time.Duration;

/// `WAIT numreplicas timeout`: how many other nodes have, in their journals too, all that clients of this node wrote
/// before, and all that was on its disk when it started.
///
/// It waits for all that anybody wrote here before, which is no later: changes leave in the order of their marks.
final class Wait implements Command {
    private final Peers peers;

    Wait(Peers peers) {
        this.peers = peers;
    }

    private record Wish(long wanted, Duration patience, Link link) implements Peers.Wait {
        @Override
        public boolean listens() {
            return link.isOpen();
        }
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long wanted = Numbers.signed(arguments, 1);
        long millis = Numbers.signed(arguments, 2, "ERR timeout is not an integer or out of range");
        if (millis < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        if (client.inSection()) {
            // What a transaction writes leaves after its end, so nobody has it yet; and it must not wait.
            reply.integer(0);
            return;
        }
        Link.Suspension suspension = client.suspend();
        peers.await(
                new Wish(wanted, Duration.ofMillis(millis), client.link()),
                count -> suspension.resume(answer -> answer.integer(count)));
    }
}
