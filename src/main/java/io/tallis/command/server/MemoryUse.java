package io.tallis.command.server;

/// The memory of the node at one moment, in bytes unless stated otherwise.
///
/// What Redis calls used memory is what counters take, because that is what `maxmemory` limits; what it calls the
/// allocator is the memory kept for counters, used and free. `clients` is what buffered requests and replies take,
/// `journal` what changes that wait to be written take. `resident` is the resident size of the process and `system` the
/// memory of the machine, each 0 if unknown. `limit` is the effective `maxmemory`.
public record MemoryUse(
        Counters counters, Heap heap, long clients, long journal, long resident, long system, long limit) {
    /// Where the figures come from.
    public interface Source {
        MemoryUse now();

        void collectGarbage();
    }

    /// The memory of counters: `bytes` are used, of which `index` are the tables that find cells; `peak` is the most
    /// that was ever used; `free` is kept for counters and unused; `endedPart` is an estimate of the part
    /// of the dataset that folding ended sessions would free.
    public record Counters(
            long bytes, long peak, long index, long free, long keys, long cells, long deletedCells, double endedPart) {
        public long dataset() {
            return bytes - index;
        }

        public double datasetPercent() {
            return percent(dataset(), bytes);
        }

        public double peakPercent() {
            return percent(bytes, peak);
        }

        public long bytesPerKey() {
            return keys == 0 ? 0 : bytes / keys;
        }

        /// All memory kept for counters.
        public long kept() {
            return bytes + free;
        }

        /// What is kept for each byte used: 1.25 when a fifth of it is free.
        ///
        /// Not the resident size by the used memory, as in Redis: a JVM takes 100 MB for a single counter, which has
        /// nothing to do with fragmentation and would raise every alert.
        public double fragmentation() {
            return bytes == 0 ? 1 : (double) kept() / bytes;
        }

        /// An estimate of what folding ended sessions would free.
        public long endedBytes() {
            return (long) (endedPart * dataset());
        }

        /// About what the cells of deleted counters take, by their share of all cells.
        public long deletedBytes() {
            return cells == 0 ? 0 : (long) ((double) bytes * deletedCells / cells);
        }
    }

    /// The heap of the JVM: `used` includes garbage; `committed` was taken from the system; `max` is the limit.
    public record Heap(long used, long committed, long max) {}

    private static double percent(long part, long all) {
        return all == 0 ? 0 : 100.0 * part / all;
    }
}
