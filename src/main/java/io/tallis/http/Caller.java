package io.tallis.http;

import org.jspecify.annotations.Nullable;

/// On whose behalf a request is: its rights, its login if it has one that counts, and whether that user may do
/// everything.
record Caller(Rights rights, @Nullable Login login, boolean mayDoAll) {
    /// Of a request that needs no password.
    static final Caller NOBODY = new Caller(Rights.NONE, null, false);
}
