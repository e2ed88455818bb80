package io.tallis.command.cluster;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import java.util.List;

/// `ROLE`: every node takes writes, so each calls itself a master. Its replicas, to Redis's tools, are its peers, and
/// offsets are numbers of its frames: a peer whose offset is the master's has all changes made here.
final class Role implements Command {
    private final Cluster cluster;

    Role(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Cluster.Standing standing = cluster.standing();
        List<Cluster.Peer> peers = standing.peers();
        reply.array(3);
        reply.bulk("master");
        reply.integer(standing.head());
        reply.array(peers.size());
        for (Cluster.Peer peer : peers) {
            ClientAddress address = ClientAddress.of(peer.clientAddress());
            reply.array(3);
            reply.bulk(address.host());
            reply.bulk(Integer.toString(address.port()));
            reply.bulk(Long.toString(peer.has()));
        }
    }
}
