package io.tallis.command.dispatch;

/// Whether the node may serve data yet, and how far it has got. Until it may, most commands are answered with
/// `LOADING`.
public interface LoadState {
    boolean loading();

    /// From 0 to 100.
    int percent();

    /// The text of the error reply, without `LOADING`.
    default String text() {
        return "Redis is loading the dataset in memory, " + percent() + "% so far";
    }

    /// Of a server that has nothing to load.
    LoadState DONE = new LoadState() {
        @Override
        public boolean loading() {
            return false;
        }

        @Override
        public int percent() {
            return 100;
        }
    };
}
