package io.tallis.keyspace;

/// Says whether whoever is shown cells has room for some more.
@FunctionalInterface
public interface Room {
    /// Asked without a lock, after some cells.
    boolean left();
}
