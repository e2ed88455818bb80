package io.tallis.command.server;

import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/// All counters in 40 hexadecimal digits, as many as Redis's digests have: equal on two nodes whose counters are
/// equal. Takes as long as there are counters; changes made meanwhile may be in it or not.
public final class KeyspaceDigest {
    private static final int BYTES = 20;

    private KeyspaceDigest() {}

    public static String of(Keyspace keyspace) {
        MessageDigest sum = Sha256.begin();
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            sum.update(keyspace.digest(partition));
        }
        return HexFormat.of().formatHex(sum.digest(), 0, BYTES);
    }
}
