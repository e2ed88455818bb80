package io.tallis.cluster.records;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.Comparator;

/// Where a node serves clients: the Redis protocol, as `host:port`; HTTP, as a URL; and clients of Redis Cluster, which
/// see slots, as `host:port`. The last two are empty if it does not.
public record Addresses(String client, String http, String slots) implements Comparable<Addresses> {
    private static final Comparator<Addresses> ORDER = Comparator.comparing(Addresses::client)
            .thenComparing(Addresses::http)
            .thenComparing(Addresses::slots);

    /// Of a node that serves the Redis protocol alone.
    public static Addresses of(String client) {
        return new Addresses(client, "", "");
    }

    /// As they are sent and shown, whatever an operator has set.
    Addresses clean() {
        return new Addresses(clean(client), clean(http), clean(slots));
    }

    private static String clean(String address) {
        return Texts.clean(address, NodeRecord.MOST_ADDRESS_CHARS);
    }

    public void write(ByteWriter out) {
        Addresses clean = clean();
        Texts.write(clean.client, out);
        Texts.write(clean.http, out);
        Texts.write(clean.slots, out);
    }

    public static Addresses read(ByteReader in) throws MalformedException {
        return new Addresses(text(in), text(in), text(in));
    }

    private static String text(ByteReader in) throws MalformedException {
        return Texts.read(NodeRecord.MOST_ADDRESS_CHARS, in);
    }

    @Override
    public int compareTo(Addresses other) {
        return ORDER.compare(this, other);
    }
}
