package io.tallis.command.slots;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.cluster.ClientAddress;
import io.tallis.command.server.Info;
import io.tallis.command.server.InfoFields;
import io.tallis.command.server.Later;
import io.tallis.command.slots.SlotMap.Owner;
import io.tallis.command.slots.SlotMap.Range;
import io.tallis.keyspace.Keyspace;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/// `CLUSTER`, `READONLY`, `READWRITE` and `ASKING` for clients of Redis Cluster.
///
/// Each node is shown as a primary without replicas: a node cannot be a primary of some slots and a replica of others
/// in the reply to `CLUSTER NODES`. A client reads and writes on any node as on a primary, so the commands about
/// replicas change nothing.
public final class SlotCommands implements CommandFamily {
    /// There are no elections here that would raise it.
    private static final int EPOCH = 1;

    /// Nodes have another protocol between them than Redis's.
    private static final int BUS_PORT = 0;

    private final Slots slots;
    private final Keyspace keyspace;
    private final Later later;
    private final String portField;

    /// `withinTls` is whether the port is for TLS.
    public SlotCommands(Slots slots, boolean withinTls, Keyspace keyspace, Later later) {
        this.slots = slots;
        this.keyspace = keyspace;
        this.later = later;
        portField = withinTls ? "tls-port" : "port";
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("cluster|slots", (_, _, reply) -> slots(reply))
                .add("cluster|shards", (_, _, reply) -> shards(reply))
                .add("cluster|nodes", (_, _, reply) -> reply.text(nodes()))
                .add("cluster|info", (_, _, reply) -> reply.text(info()))
                .add("cluster|myid", (_, _, reply) -> reply.bulk(Owner.idOf(slots.self())))
                .add("cluster|myshardid", (_, _, reply) -> reply.bulk(Owner.idOf(slots.self())))
                .add("cluster|links", (_, _, reply) -> reply.array(0))
                .add("cluster|keyslot", SlotCommands::keySlot)
                .add("cluster|countkeysinslot", this::countKeys)
                .add("cluster|getkeysinslot", this::getKeys)
                .add("readonly", (_, _, reply) -> reply.ok())
                .add("readwrite", (_, _, reply) -> reply.ok())
                .add("asking", (_, _, reply) -> reply.ok());
    }

    private void slots(Reply reply) {
        List<Range> ranges = slots.now().ranges();
        reply.array(ranges.size());
        for (Range range : ranges) {
            reply.array(3);
            reply.integer(range.first());
            reply.integer(range.last());
            reply.array(4);
            reply.bulk(range.owner().address().host());
            reply.integer(range.owner().address().port());
            reply.bulk(range.owner().id());
            reply.array(0);
        }
    }

    private void shards(Reply reply) {
        SlotMap map = slots.now();
        reply.array(map.owners().size());
        for (Owner owner : map.owners()) {
            List<Range> ranges = map.ranges(owner.uuid());
            reply.map(2);
            reply.bulk("slots");
            reply.array(2 * ranges.size());
            for (Range range : ranges) {
                reply.integer(range.first());
                reply.integer(range.last());
            }
            reply.bulk("nodes");
            reply.array(1);
            shardNode(owner, reply);
        }
    }

    private void shardNode(Owner owner, Reply reply) {
        reply.map(7);
        pair("id", owner.id(), reply);
        reply.bulk(portField);
        reply.integer(owner.address().port());
        pair("ip", owner.address().host(), reply);
        pair("endpoint", owner.address().host(), reply);
        pair("role", "master", reply);
        reply.bulk("replication-offset");
        reply.integer(0);
        pair("health", "online", reply);
    }

    private static void pair(String name, String value, Reply reply) {
        reply.bulk(name);
        reply.bulk(value);
    }

    /// One line for each node. This node has one even while it has no slots, since clients look for `myself`.
    private String nodes() {
        SlotMap map = slots.now();
        UUID self = slots.self();
        String lines = map.owners().stream()
                .map(owner -> line(owner.uuid(), owner.address(), map))
                .collect(Collectors.joining());
        boolean isListed = map.owners().stream().anyMatch(owner -> owner.uuid().equals(self));
        return isListed ? lines : line(self, slots.ownAddress(), map) + lines;
    }

    private String line(UUID node, ClientAddress address, SlotMap map) {
        StringBuilder line = new StringBuilder(Owner.idOf(node));
        line.append(' ').append(address.host()).append(':').append(address.port());
        line.append('@').append(BUS_PORT);
        line.append(node.equals(slots.self()) ? " myself,master" : " master");
        line.append(" - 0 0 ").append(EPOCH).append(" connected");
        map.ranges(node)
                .forEach(range ->
                        line.append(' ').append(range.first()).append('-').append(range.last()));
        return line.append('\n').toString();
    }

    private String info() {
        SlotMap map = slots.now();
        int given = map.isEmpty() ? 0 : Slot.COUNT;
        InfoFields fields = new InfoFields();
        fields.field("cluster_state", map.isEmpty() ? "fail" : "ok")
                .field("cluster_slots_assigned", given)
                .field("cluster_slots_ok", given)
                .field("cluster_slots_pfail", 0)
                .field("cluster_slots_fail", 0)
                .field("cluster_known_nodes", Math.max(1, map.owners().size()))
                .field("cluster_size", map.owners().size())
                .field("cluster_current_epoch", EPOCH)
                .field("cluster_my_epoch", EPOCH)
                .field("cluster_stats_messages_sent", 0)
                .field("cluster_stats_messages_received", 0)
                .field("total_cluster_links_buffer_limit_exceeded", 0);
        return Info.lines(fields.list());
    }

    /// `CLUSTER KEYSLOT key`
    private static void keySlot(Arguments arguments, Client client, Reply reply) {
        reply.integer(Slot.of(arguments.array(), arguments.offset(2), arguments.length(2)));
    }

    /// `CLUSTER COUNTKEYSINSLOT slot`: visits all keys, so it runs on another thread.
    private void countKeys(Arguments arguments, Client client, Reply reply) {
        long slot = Numbers.signed(arguments, 2);
        if (slot < 0 || slot >= Slot.COUNT) {
            throw new CommandError("ERR Invalid slot");
        }
        later.answerOnItsOwn("slot-keys", client, () -> {
            long count = SlotKeys.count(keyspace, (int) slot);
            return answer -> answer.integer(count);
        });
    }

    /// `CLUSTER GETKEYSINSLOT slot count`: visits keys until there are enough, on another thread.
    private void getKeys(Arguments arguments, Client client, Reply reply) {
        long slot = Numbers.signed(arguments, 2);
        long count = Numbers.signed(arguments, 3);
        if (slot < 0 || slot >= Slot.COUNT || count < 0) {
            throw new CommandError("ERR Invalid slot or number of keys");
        }
        later.answerOnItsOwn("slot-keys", client, () -> {
            List<byte[]> keys = SlotKeys.first(keyspace, (int) slot, count);
            return answer -> {
                answer.array(keys.size());
                keys.forEach(answer::bulk);
            };
        });
    }
}
