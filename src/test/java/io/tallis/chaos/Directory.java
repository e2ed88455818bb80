package io.tallis.chaos;

/// One of the data directories that a node had, one after the other.
record Directory(int node, int generation) {
    static final Directory NONE = new Directory(-1, 0);
}
