package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Parts;
import io.tallis.crdt.Replicas;
import io.tallis.crdt.Token;
import io.tallis.wire.FieldKey;

/// The tokens of clients, as one thread uses them: by which increments were made, so that none is made twice.
///
/// Belongs to one thread. The caller holds the partition of the counter, which is that of its tokens, and has begun a
/// group of rows.
final class TokenCells extends CellEditor {
    /*
     * How an increment is made once
     * -----------------------------
     *     client      PNCOUNT INC k 5 IDMP p 17         no reply
     *     client      PNCOUNT INC k 5 IDMP p 17         OK, and 5 was added once
     *
     * A token is a cell of its own, in the partition of its counter, which ends after the window as any cell with a
     * deadline does. The increment and its token are changed under one hold of the lock, and are one group of rows: the
     * journal has both or neither, and so has every later session of this node. Other nodes get the token as they get
     * any cell.
     *
     * They may get it before the increment: then the session that made both may die before its journal has them, and
     * the increment with it. So a token names that session's totals in the counter after the increment, and a node whose
     * copy of the counter has less does not say that it was counted. When for some seconds all nodes have been in reach,
     * none has it, and the request is new again. After the grace the token is believed: the counter may have ended
     * since, and been dropped.
     *
     * A node that has not got the token counts again. The token then counts two sessions.
     */

    enum Found {
        /// The increment was not made, as far as this node knows.
        NO,
        /// It was made, and is here.
        YES,
        /// It was made, and is not here yet.
        NOT_HERE
    }

    /// When nodes are in reach, what is older has come here: [Expiry#isInReach] may be as old as the skew, and leaves
    /// out what is younger than that.
    private static final long IN_REACH_MILLIS = 2 * Expiry.SKEW_MILLIS;

    private final Key key = new Key();
    private final byte[] content = new byte[Token.LENGTH];
    private byte[] name = new byte[64];
    private int nameLength;

    TokenCells(Keyspace keyspace, ChangeLog log) {
        super(keyspace, log, null);
    }

    /// How many bytes the key of the token's cell has.
    static int keyLength(Key counter, int tokenLength) {
        return FieldKey.prefixLength(counter.length()) + tokenLength;
    }

    /// Looks for a token of a counter, of which `counts` are here.
    Found find(Key counter, byte[] token, Counter counts) {
        int needed = keyLength(counter, token.length);
        if (name.length < needed) {
            name = new byte[needed];
        }
        int at = FieldKey.writePrefix(counter.array(), counter.offset(), counter.length(), name);
        System.arraycopy(token, 0, name, at, token.length);
        nameLength = needed;
        key.set(CounterType.TOKEN, name, 0, needed);
        Partition partition = open(CounterType.TOKEN, key);
        try {
            int part = cell.parts().find(Parts.TOKEN);
            if (!cell.exists() || part < 0) {
                return Found.NO;
            }
            long age = now() - Token.epochMillis(cell.parts(), part);
            boolean isHere = cell.counts().find(Replicas.OWN) >= 0
                    || age > expiry.graceMillis()
                    || Token.isIn(counts, cell.parts(), part, keyspace.replicas());
            if (isHere) {
                return Found.YES;
            }
            return isLost(partition, counter, age) ? Found.NO : Found.NOT_HERE;
        } finally {
            partition.unlock();
        }
    }

    /// Whether no node has an increment of this age that is not here, unless its counter was dropped.
    private boolean isLost(Partition partition, Key counter, long age) {
        return age > IN_REACH_MILLIS
                && expiry.isInReach()
                && !partition.droppedKeys().mayHave(counter.probe());
    }

    /// What the increment has added for which the token that was found stands.
    long amount() {
        return Token.amount(cell.parts(), cell.parts().find(Parts.TOKEN));
    }

    /// The reply that the token is known has to be true after a crash too: another thread's turn may have it.
    void recordAgain() {
        recordAgain(key);
        keyspace.tokens().isRepeated();
    }

    /// Refuses a new token if there is no room for it, and for a new counter.
    void requireRoom() {
        partition(key).requireRoom(keyspace.clientBytes(), 3L * nameLength + Capacity.SOURCE_BYTES + Token.LENGTH);
    }

    /// Keeps the token that was looked for, of an increment that has just been made.
    void add(Cell counter, long amount) {
        Partition partition = open(CounterType.TOKEN, key);
        try {
            long now = now();
            beginShard(partition, key);
            boolean _ = cell.add(Replicas.OWN, 1);
            Token.write(now, amount, keyspace.replicas(), counter.counts(), content);
            cell.parts().put(Parts.TOKEN, content, 0, content.length);
            cell.life().expireAt(keyspace.tokens().deadline(now), true);
            if (slot == CellTable.NONE) {
                keyspace.tokens().isMade();
            }
            change(partition, key, ended ? Partition.Change.OWN_RESET : Partition.Change.OWN);
        } finally {
            partition.unlock();
        }
    }
}
