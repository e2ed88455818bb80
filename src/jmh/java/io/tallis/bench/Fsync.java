package io.tallis.bench;

/// When a server makes its log safe against a loss of power; both servers have the same names for it.
enum Fsync {
    EVERYSEC("everysec"),
    ALWAYS("always");

    private final String option;

    Fsync(String option) {
        this.option = option;
    }

    /// The value of the option `appendfsync`.
    String option() {
        return option;
    }
}
