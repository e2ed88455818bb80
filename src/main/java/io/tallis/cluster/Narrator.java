package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/// Puts what the replicator meets into the words of the chronicle.
///
/// What may be met again and again is told once for each session that it is about; there is room for
/// [#MOST_TOLD_ONCE] such things, and what comes after them is not told. Belongs to the replicator's thread.
final class Narrator {
    static final int MOST_TOLD_ONCE = 4096;

    /// Who a present session says it is.
    record Identity(ReplicaId session, UUID uuid, String name) {}

    /// What a pull has brought.
    record Pulled(long cells, long bytes, long millis) {}

    private final Chronicle chronicle;
    private final Set<List<Object>> toldOnce = new HashSet<>();

    Narrator(Chronicle chronicle) {
        this.chronicle = chronicle;
    }

    void started(String version) {
        chronicle.tell("started, version " + version);
    }

    void stopping() {
        chronicle.tell("stops");
    }

    void joined(Identity peer) {
        chronicle.tell("sees " + shown(peer));
    }

    void left(Identity peer) {
        chronicle.tell("does not see " + shown(peer) + " any more");
    }

    private static String shown(Identity peer) {
        return peer.name() + " (session " + shown(peer.session()) + ")";
    }

    private static String shown(ReplicaId session) {
        return session.toString().substring(0, 8);
    }

    void ready(long millis) {
        chronicle.tell("is ready after " + seconds(millis));
    }

    /// The node serves though it is not in step; `why` is a clause.
    void readyAnyway(String why) {
        chronicle.tell("is ready though not in step: " + why);
    }

    void held() {
        chronicle.tell("is in step, and waits for SYSTEM READY");
    }

    void pullBegan(String from, int partitions) {
        chronicle.tell("pulls " + partitions + " partitions that differ from " + from);
    }

    void pullEnded(String from, Pulled pulled) {
        chronicle.tell("has pulled " + pulled.cells + " cells, " + pulled.bytes + " bytes, from " + from + " in "
                + seconds(pulled.millis));
    }

    void pullBroke(String from, String why) {
        chronicle.tell("pull from " + from + " broke off: " + why);
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /// Of the two sessions with one UUID or one name, one was started by mistake, or a directory was copied.
    void present(List<Identity> all) {
        for (int i = 0; i < all.size(); i++) {
            for (Identity other : all.subList(i + 1, all.size())) {
                compare(all.get(i), other);
            }
        }
    }

    private void compare(Identity one, Identity other) {
        if (one.uuid().equals(other.uuid())) {
            once("uuid", one, other, shown(one) + " and " + shown(other) + " have one UUID: a copied data directory?");
        } else if (one.name().equals(other.name())) {
            once("name", one, other, shown(one) + " and " + shown(other) + " have one name");
        }
    }

    private void once(String what, Identity one, Identity other, String text) {
        once(List.of(what, Set.of(one.session(), other.session())), text);
    }

    private void once(List<Object> what, String text) {
        if (toldOnce.size() < MOST_TOLD_ONCE && toldOnce.add(what)) {
            chronicle.tell(text);
        }
    }

    void mergesNotKept() {
        chronicle.tell("cannot write what others tell to its disk: does not count as having it");
    }

    void mergesKeptAgain() {
        chronicle.tell("writes what others tell to its disk again");
    }

    void otherKey(String from) {
        once(List.of("key", from), "hears " + from + ", who has another key");
    }

    void otherVersion(ReplicaId from, int version) {
        once(
                List.of("version", from),
                "cannot read version " + version + " of the protocol, which session " + shown(from) + " speaks");
    }

    void malformed(ReplicaId from, String why) {
        once(List.of("malformed", from), "drops malformed frames of session " + shown(from) + ": " + why);
    }
}
