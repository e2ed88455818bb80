package io.tallis.http;

import org.jspecify.annotations.Nullable;

/// Users and their passwords. Any thread may call.
public interface Logins {
    /// What a user may do.
    enum Standing {
        /// There is no such user, or the password is wrong.
        UNKNOWN,
        /// Not everything.
        RESTRICTED,
        FULL
    }

    /// Whether a request without a login is refused.
    boolean needsPassword();

    /// The standing of a login; of the default user for null.
    Standing standing(@Nullable Login login);
}
