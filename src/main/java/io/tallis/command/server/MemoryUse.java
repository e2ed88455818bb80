package io.tallis.command.server;

/// What takes the memory of the node at one moment, in bytes where nothing else is said.
///
/// What Redis calls the memory used is what counters take, since that alone is held to `limit`. `clients` is what
/// requests and replies take that wait, `journal` what changes take that wait to be written; `resident` is what the
/// process occupies of the machine's `system` memory, 0 when the system does not tell.
public record MemoryUse(
        Counters counters, Heap heap, long clients, long journal, long resident, long system, long limit) {
    /// What counters take: `bytes`, `index` of which find cells, the others hold them and the ids of their replicas;
    /// the most they ever took; and what is kept `free` for them besides.
    public record Counters(long bytes, long peak, long index, long free, long keys, long cells, long deletedCells) {
        public long dataset() {
            return bytes - index;
        }

        public double datasetPercent() {
            return share(dataset(), bytes);
        }

        public double peakPercent() {
            return share(bytes, peak);
        }

        public long bytesPerKey() {
            return keys == 0 ? 0 : bytes / keys;
        }

        /// About what cells take that deleted counters left behind: their part of all cells.
        public long deletedBytes() {
            return cells == 0 ? 0 : (long) ((double) bytes * deletedCells / cells);
        }
    }

    /// The heap of the JVM: `used` with the garbage that was not collected yet, of `committed` that it took from
    /// the system so far, of at most `max`.
    public record Heap(long used, long committed, long max) {
        public double ratio() {
            return MemoryUse.ratio(committed, used);
        }

        public long unused() {
            return committed - used;
        }
    }

    /// How many times what counters take the process occupies.
    public double fragmentation() {
        return ratio(resident, counters.bytes);
    }

    public long fragmentationBytes() {
        return resident - counters.bytes;
    }

    private static double ratio(long all, long part) {
        return part == 0 ? 0 : (double) all / part;
    }

    private static double share(long part, long all) {
        return all == 0 ? 0 : 100.0 * part / all;
    }
}
