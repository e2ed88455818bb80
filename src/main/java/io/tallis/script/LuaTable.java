package io.tallis.script;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A table: an array for the keys 1 to n, and a hash table for all others that keeps the order of insertion, so that
/// scripts traverse it in the same order everywhere.
///
///     index[hash] ─▶ keys[i], values[i]      a removed key stays, with the value nil, until the table grows
public final class LuaTable implements LuaValue {
    /// What a table and an entry of it take in memory, about.
    public static final int BYTES = 64;

    private static final int ENTRY_BYTES = 16;
    private static final int LEAST = 4;
    private static final LuaValue[] NOTHING = {};

    private LuaValue[] array = NOTHING;
    private int count;
    private LuaValue[] keys = NOTHING;
    private LuaValue[] values = NOTHING;

    /// Positions in `keys`, plus one; 0 is free. Twice as long as `keys` at least.
    private int[] index = {};

    private int used;
    private int skipped;
    private @Nullable LuaTable metatable;
    private boolean readOnly;

    /// A table `{first, second ...}`.
    public static LuaTable list(LuaValue... elements) {
        LuaTable table = new LuaTable();
        table.array = elements;
        table.count = elements.length;
        table.trim();
        return table;
    }

    @Override
    public String typeName() {
        return "table";
    }

    public @Nullable LuaTable metatable() {
        return metatable;
    }

    public void metatable(@Nullable LuaTable table) {
        metatable = table;
    }

    public boolean isReadOnly() {
        return readOnly;
    }

    /// Refuses changes by scripts from now on.
    public LuaTable readOnly() {
        readOnly = true;
        return this;
    }

    public LuaValue get(LuaValue key) {
        if (key instanceof LuaNumber number) {
            double value = number.value();
            int whole = (int) value;
            if (whole == value) {
                return get(whole);
            }
        }
        int position = find(key);
        return position < 0 ? LuaNil.NIL : values[position];
    }

    public LuaValue get(int key) {
        if (key >= 1 && key <= count) {
            return array[key - 1];
        }
        if (used == 0) {
            return LuaNil.NIL;
        }
        int position = find(LuaNumber.of(key));
        return position < 0 ? LuaNil.NIL : values[position];
    }

    public LuaValue get(String key) {
        return get(LuaString.of(key));
    }

    /// Sets a field of a table that scripts do not have yet.
    public LuaTable with(String key, LuaValue value) {
        set(LuaString.of(key), value);
        return this;
    }

    /// Returns the bytes of memory that this took. The key is neither nil nor a NaN.
    public int set(LuaValue key, LuaValue value) {
        if (key instanceof LuaNumber number) {
            double real = number.value();
            int whole = (int) real;
            if (whole == real && whole >= 1 && whole <= count + 1) {
                return setInArray(whole, value);
            }
        }
        return setInHash(key, value);
    }

    public int set(int key, LuaValue value) {
        return key >= 1 && key <= count + 1 ? setInArray(key, value) : setInHash(LuaNumber.of(key), value);
    }

    private int setInArray(int key, LuaValue value) {
        if (key <= count) {
            array[key - 1] = value;
            if (key == count) {
                trim();
            }
            return 0;
        }
        if (used > 0 && find(LuaNumber.of(key)) >= 0) {
            setInHash(LuaNumber.of(key), LuaNil.NIL);
        }
        if (value.isNil()) {
            return 0;
        }
        int before = array.length;
        append(value);
        while (used > 0) {
            int position = find(LuaNumber.of(count + 1));
            if (position < 0 || values[position].isNil()) {
                break;
            }
            append(values[position]);
            values[position] = LuaNil.NIL;
        }
        return (array.length - before) * ENTRY_BYTES;
    }

    /// Sets the keys from `first` on to the values from `from` to `to` in an array, as a table constructor does.
    void setList(int first, LuaValue[] source, int from, int to) {
        if (first != count + 1) {
            for (int i = from; i < to; i++) {
                set(first + i - from, source[i]);
            }
            return;
        }
        for (int i = from; i < to; i++) {
            if (used > 0) {
                setInHash(LuaNumber.of(count + 1), LuaNil.NIL);
            }
            append(source[i]);
        }
        trim();
    }

    private void append(LuaValue value) {
        if (count == array.length) {
            array = Arrays.copyOf(array, Math.max(LEAST, count * 2));
        }
        array[count++] = value;
    }

    /// Nil never ends the array, so that `count` is a border.
    private void trim() {
        while (count > 0 && array[count - 1].isNil()) {
            count--;
        }
    }

    private int setInHash(LuaValue key, LuaValue value) {
        int position = find(key);
        if (position >= 0) {
            values[position] = value;
            return 0;
        }
        if (value.isNil()) {
            return 0;
        }
        int before = keys.length;
        if (used == keys.length) {
            rebuild();
        }
        keys[used] = key;
        values[used] = value;
        place(used++);
        return Math.max(0, keys.length - before) * 2 * ENTRY_BYTES;
    }

    private void rebuild() {
        int live = 0;
        for (int i = 0; i < used; i++) {
            live += values[i].isNil() ? 0 : 1;
        }
        LuaValue[] oldKeys = keys;
        LuaValue[] oldValues = values;
        int capacity = Integer.highestOneBit(Math.max(LEAST, live + live / 2) * 2 - 1);
        keys = new LuaValue[capacity];
        values = new LuaValue[capacity];
        index = new int[capacity * 2];
        int to = 0;
        for (int i = 0; i < used; i++) {
            if (!oldValues[i].isNil()) {
                keys[to] = oldKeys[i];
                values[to] = oldValues[i];
                place(to++);
            }
        }
        used = to;
    }

    private void place(int position) {
        int slot = slot(keys[position]);
        while (index[slot] != 0) {
            slot = (slot + 1) & (index.length - 1);
        }
        index[slot] = position + 1;
    }

    private int slot(LuaValue key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) & (index.length - 1);
    }

    private int find(LuaValue key) {
        if (used == 0) {
            return -1;
        }
        int slot = slot(key);
        for (int entry = index[slot]; entry != 0; entry = index[slot]) {
            LuaValue other = keys[entry - 1];
            if (other.equals(key)) {
                return entry - 1;
            }
            slot = (slot + 1) & (index.length - 1);
        }
        return -1;
    }

    /// A border: `#`.
    public int length() {
        if (count > 0 || used == 0) {
            return count;
        }
        int border = 0;
        while (!get(border + 1).isNil()) {
            border++;
        }
        return border;
    }

    /// The position of the entry after this key, for [#keyAt] and [#valueAt]; that of the first one after nil. -1 after
    /// the last, -2 if there is no such key.
    public int next(LuaValue key) {
        int from = 0;
        if (key instanceof LuaNumber number
                && number.value() >= 1
                && number.value() <= array.length
                && number.value() == (int) number.value()
                && find(key) < 0) {
            from = Math.min((int) number.value(), count);
        } else if (!key.isNil()) {
            int position = find(key);
            if (position < 0) {
                return -2;
            }
            from = count + position + 1;
        }
        return entryFrom(from);
    }

    private int entryFrom(int from) {
        int position = from;
        while (position < count && array[position].isNil()) {
            position++;
        }
        while (position >= count && position < count + used && values[position - count].isNil()) {
            position++;
        }
        skipped = position - from;
        return position < count + used ? position : -1;
    }

    /// How many empty places the last call of [#next] looked at.
    int skipped() {
        return skipped;
    }

    public LuaValue keyAt(int position) {
        return position < count ? LuaNumber.of(position + 1) : keys[position - count];
    }

    public LuaValue valueAt(int position) {
        return position < count ? array[position] : values[position - count];
    }

    /// How many places a traversal looks at.
    public int places() {
        return count + used;
    }
}
