package io.tallis.command.script;

import io.tallis.command.Arguments;
import io.tallis.keyspace.Key;
import io.tallis.script.LuaString;
import io.tallis.script.LuaTable;
import io.tallis.script.LuaValue;
import java.util.Arrays;

/// The keys that a request names for a script: `KEYS`.
final class DeclaredKeys {
    /// More than so many are looked up by bisection.
    private static final int FEW = 8;

    private final byte[][] keys;
    private final byte[][] sorted;

    DeclaredKeys(Arguments arguments, int first, int count) {
        keys = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] = arguments.bytes(first + i);
        }
        sorted = keys.clone();
        if (count > FEW) {
            Arrays.sort(sorted, Arrays::compareUnsigned);
        }
    }

    boolean contains(Key key) {
        if (keys.length > FEW) {
            return Arrays.binarySearch(sorted, key.toByteArray(), Arrays::compareUnsigned) >= 0;
        }
        for (byte[] declared : keys) {
            int from = key.offset();
            if (Arrays.equals(declared, 0, declared.length, key.array(), from, from + key.length())) {
                return true;
            }
        }
        return false;
    }

    LuaTable table() {
        LuaValue[] values = new LuaValue[keys.length];
        for (int i = 0; i < keys.length; i++) {
            values[i] = LuaString.of(keys[i]);
        }
        return LuaTable.list(values);
    }
}
