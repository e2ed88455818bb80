package io.tallis.chaos;

import java.util.List;

/// Where nodes run, and what cuts them off from each other.
interface Network extends AutoCloseable {
    /// `host` is where clients reach the node, `wrapper` the command that runs it there.
    record Place(String host, List<String> wrapper, List<String> settings) {}

    /// One direction between two nodes.
    record Way(int from, int to) {
        @Override
        public String toString() {
            return from + "->" + to;
        }
    }

    Place place(int node);

    boolean canCut();

    /// Lets nothing pass this way any more.
    void cut(Way way);

    void mend(Way way);

    @Override
    void close();
}
