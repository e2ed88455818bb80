package io.tallis.cluster.frame;

/// Why a frame was not taken in.
public enum DropReason {
    /// The checksum is wrong.
    DAMAGED,
    /// It is of a version that this node does not speak.
    OTHER_VERSION,
    /// It is of no kind that this node knows.
    UNKNOWN_KIND,
    /// Its content does not follow its form.
    MALFORMED,
    /// It names another session than the one that sent it.
    OTHER_SENDER,
    /// More came than could be taken in.
    INBOX_FULL,
    /// There is no memory left for the cells in it.
    MEMORY_FULL
}
