package io.tallis.crdt;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/// The replica ids that this process has met, each with a small number that stands for it in memory.
///
/// Number [#OWN] is this process's own id. Numbers are given in the order in which ids are met, mean nothing outside
/// this process, and are never reused. Safe for concurrent use.
///
/// It also knows *folds*: ids that stand for others, their *members*, which are processes that have ended, or earlier
/// folds. Once a fold is added, a cell is to have one shard of the fold in place of those of its members; see
/// [Counter#fold].
public final class Replicas {
    /// The number of this process's own replica id.
    public static final int OWN = 0;

    /// The most ids one process can number. A start that meets more fails; cells from peers with more are dropped.
    public static final int LIMIT = 1 << 24;

    /// About what an id takes in memory.
    private static final int BYTES_OF_ID = 100;

    /// How many sources clients may bring, unless told otherwise.
    private static final int SOURCES = 100_000;

    private final int limit;
    private final Map<ReplicaId, Integer> numbers = new HashMap<>();
    private volatile ReplicaId[] ids;
    private volatile int count;

    // Sources

    private volatile int sources;
    private volatile int mostSources = SOURCES;

    // Folds

    /// The fold of each member, met or not.
    private final Map<ReplicaId, Integer> foldOfMember = new HashMap<>();

    /// By number of a replica the number of the fold that it is a member of, [#OWN] for none. Shorter than [#ids],
    /// where the rest has none.
    private volatile int[] folds = {};

    /// By number of an added fold how many were added up to it, itself included; 0 for others.
    private volatile int[] ranks = {};

    private volatile int foldsAdded;

    public Replicas(ReplicaId own) {
        this(own, LIMIT);
    }

    /// Numbers at most `limit` ids.
    public Replicas(ReplicaId own, int limit) {
        this.limit = limit;
        ids = new ReplicaId[] {own, own};
        numbers.put(own, OWN);
        count = 1;
    }

    public ReplicaId own() {
        return ids[OWN];
    }

    /// How many ids have been met, this process's own among them.
    public int count() {
        return count;
    }

    /// About how much memory the ids of others take.
    public long bytesUsed() {
        return (count - 1L) * BYTES_OF_ID;
    }

    public ReplicaId id(int number) {
        return ids[number];
    }

    /// The number of `id`, a new one if it was never met before. Throws [TooManyReplicasException] when there is none
    /// left.
    public synchronized int numberOf(ReplicaId id) {
        Integer known = numbers.get(id);
        return known != null ? known : meet(id);
    }

    private int meet(ReplicaId id) {
        int number = count;
        if (number == limit) {
            throw new TooManyReplicasException(limit);
        }
        ReplicaId[] grown = number < ids.length ? ids : Arrays.copyOf(ids, ids.length * 2);
        grown[number] = id;
        ids = grown;
        numbers.put(id, number);
        if (id.isSource()) {
            int before = sources;
            sources = before + 1;
        }
        Integer fold = foldOfMember.get(id);
        if (fold != null) {
            int[] known = Arrays.copyOf(folds, Math.max(folds.length, number + 1));
            known[number] = fold;
            folds = known;
        }
        count = number + 1;
        return number;
    }

    /// The number of a source that a client names, [#OWN] if it was never met before and there are as many as clients
    /// may bring.
    public synchronized int numberOfSource(ReplicaId source) {
        Integer known = numbers.get(source);
        return known != null ? known : sources < mostSources ? meet(source) : OWN;
    }

    /// How many sources clients may bring. Other nodes' are taken all the same.
    public void mostSources(int most) {
        mostSources = most;
    }

    /// How many sources have been met.
    public int sources() {
        return sources;
    }

    /// Whether any source has counted here.
    public boolean hasSource(Counter counts) {
        if (sources == 0) {
            return false;
        }
        for (int i = 0; i < counts.shards(); i++) {
            if (id(counts.replica(i)).isSource()) {
                return true;
            }
        }
        return false;
    }

    /// Adds a fold; the folds among its members were added before.
    ///
    /// Other threads see all of its members at once: a cell in which only some were added up would lose the others,
    /// since what is added up later is compared with that sum, not added to it.
    public synchronized void addFold(ReplicaId fold, Collection<ReplicaId> members) {
        int number = numberOf(fold);
        int[] ranked = Arrays.copyOf(ranks, Math.max(ranks.length, number + 1));
        ranked[number] = foldsAdded + 1;
        ranks = ranked;
        int[] known = Arrays.copyOf(folds, count);
        boolean anyMet = false;
        for (ReplicaId member : members) {
            foldOfMember.put(member, number);
            Integer met = numbers.get(member);
            if (met != null) {
                known[met] = number;
                anyMet = true;
            }
        }
        folds = anyMet ? known : folds;
        foldsAdded++;
    }

    /// Whether a fold has been met that was not added.
    public boolean hasUnknownFold() {
        return IntStream.range(0, count).anyMatch(this::isUnknownFold);
    }

    /// Whether any member of a fold has been met, and so may be in cells.
    public boolean hasMetMembers() {
        return folds.length > 0;
    }

    /// How many folds have been added.
    public int foldsAdded() {
        return foldsAdded;
    }

    /// The number of the fold that the replica is a member of, [#OWN] if of none.
    public int foldOf(int number) {
        int[] now = folds;
        return number < now.length ? now[number] : OWN;
    }

    /// How many folds were added up to this one. The folds among its members have a lower rank.
    int rankOf(int fold) {
        return ranks[fold];
    }

    /// Whether this is the number of a fold that was not added.
    public boolean isUnknownFold(int number) {
        int[] now = ranks;
        return id(number).isFold() && (number >= now.length || now[number] == 0);
    }

    /// Whether the id is a member of a fold.
    public synchronized boolean isFolded(ReplicaId id) {
        return foldOfMember.containsKey(id);
    }
}
