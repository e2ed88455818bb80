package io.tallis.cluster.records;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.Comparator;

/// Where a node serves clients: the Redis protocol, as `host:port`, and HTTP, as a URL that is empty if it does not.
public record Addresses(String client, String http) implements Comparable<Addresses> {
    private static final Comparator<Addresses> ORDER =
            Comparator.comparing(Addresses::client).thenComparing(Addresses::http);

    /// Of a node without HTTP.
    public static Addresses of(String client) {
        return new Addresses(client, "");
    }

    /// As they are sent and shown, whatever an operator has set.
    Addresses clean() {
        return new Addresses(
                Texts.clean(client, NodeRecord.MOST_ADDRESS_CHARS), Texts.clean(http, NodeRecord.MOST_ADDRESS_CHARS));
    }

    public void write(ByteWriter out) {
        Addresses clean = clean();
        Texts.write(clean.client, out);
        Texts.write(clean.http, out);
    }

    public static Addresses read(ByteReader in) throws MalformedException {
        return new Addresses(
                Texts.read(NodeRecord.MOST_ADDRESS_CHARS, in), Texts.read(NodeRecord.MOST_ADDRESS_CHARS, in));
    }

    @Override
    public int compareTo(Addresses other) {
        return ORDER.compare(this, other);
    }
}
