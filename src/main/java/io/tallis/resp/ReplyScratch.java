package io.tallis.resp;

import org.jspecify.annotations.Nullable;

/// Where an event loop encodes the replies of the connection whose turn it is, before they are copied to a buffer
/// of just their length. One connection uses it at a time.
final class ReplyScratch {
    /// More than the longest reply that is encoded here.
    static final int LENGTH = 64 * 1024;

    final byte[] bytes = new byte[LENGTH];
    int length;

    @Nullable
    ReplyEncoder user;
}
