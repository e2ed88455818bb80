package io.tallis.http;

import io.netty.buffer.ByteBuf;

/// Finds the end of replies of RESP2 in bytes that arrive in pieces. Each byte of a line is looked at once or twice,
/// those of strings are skipped.
final class ReplyScanner {
    private long missing;
    private int scanned;

    /// Begins to look for so many replies, from the first readable byte on.
    void begin(int replies) {
        missing = replies;
        scanned = 0;
    }

    /// Goes on where the bytes had ended. Returns whether all replies are complete.
    boolean findsEnd(ByteBuf bytes) {
        while (missing > 0) {
            int start = bytes.readerIndex() + scanned;
            int lineEnd = bytes.indexOf(start, bytes.writerIndex(), (byte) '\n');
            if (lineEnd < 0) {
                return false;
            }
            int next = lineEnd + 1;
            byte type = bytes.getByte(start);
            if (type == '$' || type == '*') {
                int size = (int) ReplyReader.number(bytes, start + 1, lineEnd - 1);
                if (type == '*') {
                    missing += Math.max(0, size);
                } else if (size >= 0) {
                    next += size + 2;
                }
            }
            if (next > bytes.writerIndex()) {
                return false;
            }
            scanned = next - bytes.readerIndex();
            missing--;
        }
        return true;
    }

    /// The number of bytes of the replies that were found.
    int length() {
        return scanned;
    }
}
