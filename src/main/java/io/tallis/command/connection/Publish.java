package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `PUBLISH channel message`, `SPUBLISH shardchannel message`: sends a message to those who listen on this node.
/// Answers how often it was sent.
final class Publish implements Command {
    /// Where messages go.
    @FunctionalInterface
    interface Sender {
        int publish(byte[] channel, byte[] message);
    }

    private final Sender sender;

    Publish(Sender sender) {
        this.sender = sender;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.integer(sender.publish(arguments.bytes(1), arguments.bytes(2)));
    }
}
