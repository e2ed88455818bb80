package io.tallis.keyspace;

/// Says whether whoever is shown cells has room for some more.
@FunctionalInterface
public interface Room {
    /// Asked between cells, perhaps under a lock.
    boolean left();
}
