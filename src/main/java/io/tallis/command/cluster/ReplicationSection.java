package io.tallis.command.cluster;

import io.tallis.command.server.InfoFields;
import io.tallis.command.server.InfoSection;
import java.util.List;
import java.util.Locale;

/// `INFO replication`. Every node takes writes: to Redis's tools it is a master whose replicas are its peers, and
/// which has no past as a replica. Our own fields follow at the end.
public final class ReplicationSection implements InfoSection {
    /// Redis's ids have 40 digits; a session, which is as long as the process lives, has 32 of them.
    private static final String PADDING = "00000000";

    private static final int MILLIS_PER_SECOND = 1000;

    private final Cluster cluster;

    public ReplicationSection(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public void tell(InfoFields fields) {
        Cluster.Standing standing = cluster.standing();
        String id = standing.session() + PADDING;
        fields.field("role", "master")
                .field("connected_slaves", standing.peers().size());
        tellReplicas(standing.peers(), fields);
        fields.field("master_failover_state", "no-failover")
                .field("master_replid", id)
                .field("master_replid2", "0".repeat(id.length()))
                .field("master_repl_offset", standing.head())
                .field("second_repl_offset", -1)
                .never("repl_backlog_active", "repl_backlog_size")
                .never("repl_backlog_first_byte_offset", "repl_backlog_histlen")
                .field("node_state", standing.state())
                .field("node_joined_perc", standing.percent());
        standing.figures().forEach(fields::field);
        tellPeers(standing.peers(), fields);
    }

    private static void tellReplicas(List<Cluster.Peer> peers, InfoFields fields) {
        for (int i = 0; i < peers.size(); i++) {
            Cluster.Peer peer = peers.get(i);
            ClientAddress address = ClientAddress.of(peer.clientAddress());
            fields.field(
                    "slave" + i,
                    "ip=" + plain(address.host()) + ",port=" + address.port() + ",state="
                            + (peer.online() ? "online" : "send_bulk") + ",offset=" + peer.has() + ",lag="
                            + peer.exchange().silentMillis() / MILLIS_PER_SECOND);
        }
    }

    private static void tellPeers(List<Cluster.Peer> peers, InfoFields fields) {
        for (int i = 0; i < peers.size(); i++) {
            fields.field("peer" + i, line(peers.get(i)));
        }
    }

    private static String line(Cluster.Peer peer) {
        Cluster.Exchange exchange = peer.exchange();
        return "name=" + plain(peer.name())
                + ",session=" + peer.session()
                + ",state=" + peer.state()
                + ",lag_frames=" + peer.lag().frames()
                + ",lag_ms=" + peer.lag().millis()
                + ",bytes_in=" + exchange.bytesIn()
                + ",bytes_out=" + exchange.bytesOut()
                + ",last_contact_ms=" + exchange.silentMillis()
                + ",agrees=" + peer.agrees().name().toLowerCase(Locale.ROOT);
    }

    /// What others call themselves cannot pass for other fields.
    private static String plain(String text) {
        return text.replace(',', '_').replace('=', '_');
    }
}
