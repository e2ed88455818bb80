/// One binary form of counters, for disk and network.
///
/// Owns the bytes of a key with its counter ([CellCodec]) and the bounded reading and writing of numbers below it
/// ([ByteWriter], [ByteReader]). Frames, checksums and versions belong to the packages that send or store the bytes.
/// Nothing here is safe for concurrent use; each thread has its own.
@NullMarked
package io.tallis.wire;

import org.jspecify.annotations.NullMarked;
