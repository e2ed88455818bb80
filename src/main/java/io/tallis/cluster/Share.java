package io.tallis.cluster;

/// How much of what all nodes have a session has, as far as it knows; see [OwnShare].
enum Share {
    /// It came without counters, and has none.
    NONE,
    /// Less than others have.
    PART,
    /// All that it ever had, or all that such a session had.
    WHOLE
}
