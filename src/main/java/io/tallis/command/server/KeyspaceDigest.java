package io.tallis.command.server;

import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/// A digest of all counters: equal on two nodes whose counters are equal. It has 40 hexadecimal digits, as Redis's
/// digests have. Visits every counter; a concurrent change may or may not be included.
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
