package io.tallis.runtime;

/// A value that an operator may change while the server runs. Callers read it at each use and do not keep it.
@FunctionalInterface
public interface Live<T> {
    T now();

    static <T> Live<T> fixed(T value) {
        return () -> value;
    }
}
