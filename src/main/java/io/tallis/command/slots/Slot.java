package io.tallis.command.slots;

/// The slot of a key in Redis Cluster: CRC16 (XMODEM) of the key, or of its hash tag if it has one, modulo 16,384.
///
/// The hash tag is what lies between the first `{` and the first `}` after it, unless that is empty.
final class Slot {
    static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;
    private static final char[] TABLE = table();

    private Slot() {}

    private static char[] table() {
        char[] table = new char[256];
        for (int high = 0; high < table.length; high++) {
            int crc = high << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ ((crc & 0x8000) == 0 ? 0 : POLYNOMIAL);
            }
            table[high] = (char) crc;
        }
        return table;
    }

    static int of(byte[] key) {
        return of(key, 0, key.length);
    }

    static int of(byte[] bytes, int from, int length) {
        int end = from + length;
        int open = indexOf('{', bytes, from, end);
        int close = open < 0 ? -1 : indexOf('}', bytes, open + 1, end);
        boolean tagged = close > open + 1;
        return crc16(bytes, tagged ? open + 1 : from, tagged ? close : end) % COUNT;
    }

    private static int indexOf(char wanted, byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    static int crc16(byte[] bytes, int from, int end) {
        int crc = 0;
        for (int i = from; i < end; i++) {
            crc = (crc << 8 ^ TABLE[(crc >>> 8 ^ bytes[i]) & 0xFF]) & 0xFFFF;
        }
        return crc;
    }
}
