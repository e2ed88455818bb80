package io.tallis.runtime;

/// Settings that an operator may change while the server runs: ask anew each time they matter.
@FunctionalInterface
public interface Live<T> {
    T now();

    static <T> Live<T> fixed(T value) {
        return () -> value;
    }
}
