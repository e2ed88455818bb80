package io.tallis.command.tracking;

import java.util.Arrays;

/// The ids of the clients that have read a key since it changed. Guarded by the map that it is in.
final class Readers {
    private long[] ids = new long[1];
    private int count;

    /// Returns whether the client is new here.
    boolean add(long id) {
        for (int i = 0; i < count; i++) {
            if (ids[i] == id) {
                return false;
            }
        }
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, 2 * count);
        }
        ids[count++] = id;
        return true;
    }

    int count() {
        return count;
    }

    long id(int index) {
        return ids[index];
    }
}
