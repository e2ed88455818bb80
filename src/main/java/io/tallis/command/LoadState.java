package io.tallis.command;

/// How far the data are loaded. Until they are, most commands answer `LOADING`.
public interface LoadState {
    boolean loading();

    /// From 0 to 100.
    int percent();

    /// What clients are told.
    default String text() {
        return "Redis is loading the dataset in memory, " + percent() + "% so far";
    }

    /// For a server that starts with nothing to load.
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
