package io.tallis.sim;

import io.tallis.cluster.records.Self;
import io.tallis.testing.Gen;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A machine with a data directory, on which sessions run one after the other.
final class Machine {
    private final int number;
    private final String name;
    private final Disk disk = new Disk();
    private final Disk backup = new Disk();
    private final long clockSkewMillis;
    private UUID uuid;
    private int newestVersion = 1;
    private @Nullable Session session;
    private boolean retired;
    private boolean forgotten;
    private boolean mayBeBehind;
    private boolean holdNext;
    private String donorOfNext = "";

    Machine(int number, Gen gen) {
        this.number = number;
        name = "node" + number;
        uuid = new UUID(gen.between(1, Long.MAX_VALUE), gen.between(1, Long.MAX_VALUE));
        clockSkewMillis = gen.pick(0L, 0L, gen.between(-100_000L, 100_000L));
    }

    /// The offset of its clock.
    long clockSkewMillis() {
        return clockSkewMillis;
    }

    int number() {
        return number;
    }

    String name() {
        return name;
    }

    Self self() {
        return new Self(uuid, name, "127.0.0.1:" + (7000 + number));
    }

    Disk disk() {
        return disk;
    }

    int newestVersion() {
        return newestVersion;
    }

    void newestVersion(int version) {
        newestVersion = version;
    }

    /// The session that runs here, null when the machine is down.
    @Nullable
    Session session() {
        return session;
    }

    void session(@Nullable Session session) {
        this.session = session;
    }

    /// A node is told to forget it.
    void forget() {
        forgotten = true;
        mayBeBehind = true;
    }

    /// It becomes complete: perhaps through one that was forgotten elsewhere.
    void joined(Stream<Machine> providers) {
        mayBeBehind |= providers.anyMatch(other -> other.mayBeBehind);
    }

    /// It is told to serve without all that its cluster has, or one is that does not know it.
    void leaveOut() {
        mayBeBehind = true;
    }

    /// Whether the others may have made a purge without it, because it was forgotten, it joined through a node that was
    /// forgotten elsewhere, its directory is a copy or has one, it served before it had joined, or one did that does
    /// not know it.
    boolean mayBeBehind() {
        return mayBeBehind;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /// It never starts again.
    void retire() {
        retired = true;
    }

    boolean retired() {
        return retired;
    }

    /// The next session starts with `cluster-hold`.
    void holdNext() {
        holdNext = true;
    }

    /// The next session has this donor.
    void nextPullsFrom(String donor) {
        donorOfNext = donor;
    }

    /// Whether the session that starts has `cluster-hold`.
    boolean takeHold() {
        boolean hold = holdNext;
        holdNext = false;
        return hold;
    }

    /// The donor of the session that starts, empty for none.
    String takeDonor() {
        String donor = donorOfNext;
        donorOfNext = "";
        return donor;
    }

    void backUp() {
        backup.become(disk);
    }

    void restoreBackup() {
        disk.become(backup);
        disk.isCopied(true);
        mayBeBehind = true;
    }

    /// A node that loses its directory is another for the others, under the same name.
    void wipe(Gen gen) {
        disk.wipe();
        disk.isCopied(false);
        mayBeBehind = false;
        uuid = new UUID(gen.between(1, Long.MAX_VALUE), gen.between(1, Long.MAX_VALUE));
    }

    /// Takes a copy of another machine's directory, with all that is in it.
    void cloneFrom(Machine other) {
        disk.become(other.disk);
        disk.isCopied(true);
        other.disk.isCopied(true);
        mayBeBehind = true;
        other.mayBeBehind = true;
        uuid = other.uuid;
    }
}
