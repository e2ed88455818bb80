package io.tallis.command.script;

import io.tallis.command.Reply;
import io.tallis.keyspace.Score;
import io.tallis.script.LuaBoolean;
import io.tallis.script.LuaNil;
import io.tallis.script.LuaNumber;
import io.tallis.script.LuaString;
import io.tallis.script.LuaTable;
import io.tallis.script.LuaValue;
import io.tallis.script.RedisLibrary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Turns the reply of a command into a value of Lua, as `redis.call` returns it.
final class ReplyCapture implements Reply {
    private static final LuaString OK = LuaString.of("OK");

    /// An array, set or map whose elements come next.
    private static final class Open {
        private final LuaTable table;
        private final boolean isSet;
        private final boolean isMap;
        private int left;
        private int count;
        private @Nullable LuaValue key;

        Open(LuaTable table, int left, boolean isSet, boolean isMap) {
            this.table = table;
            this.left = left;
            this.isSet = isSet;
            this.isMap = isMap;
        }

        void add(LuaValue value) {
            left--;
            if (isSet) {
                table.set(value, LuaBoolean.TRUE);
            } else if (!isMap) {
                table.set(++count, value);
            } else if (key == null) {
                key = value;
            } else {
                table.set(key, value);
                key = null;
            }
        }
    }

    private final ArrayDeque<Open> open = new ArrayDeque<>();
    private int protocol = 2;
    private LuaValue result = LuaNil.NIL;
    private long size;

    void protocol(int version) {
        protocol = version;
    }

    void begin() {
        open.clear();
        result = LuaNil.NIL;
        size = 0;
    }

    /// The value of the reply.
    LuaValue result() {
        return result;
    }

    /// About how many bytes the value takes.
    long size() {
        return size;
    }

    private void add(LuaValue value, int bytes) {
        size += LuaTable.BYTES + bytes;
        Open innermost = open.peek();
        if (innermost == null) {
            result = value;
        } else {
            innermost.add(value);
            close();
        }
    }

    private void close() {
        while (!open.isEmpty() && open.element().left == 0) {
            open.remove();
        }
    }

    private void open(LuaValue value, LuaTable elements, int count, boolean isSet, boolean isMap) {
        add(value, 0);
        if (count > 0) {
            open.push(new Open(elements, count, isSet, isMap));
        }
    }

    @Override
    public int protocol() {
        return protocol;
    }

    @Override
    public void ok() {
        // Scripts may change what they get, so each gets its own.
        add(new LuaTable().with("ok", OK), 0);
    }

    @Override
    public void status(String text) {
        add(new LuaTable().with("ok", LuaString.of(text)), text.length());
    }

    @Override
    public void error(String text) {
        add(RedisLibrary.error(text), text.length());
    }

    @Override
    public void integer(long value) {
        // As in Redis, a number of Lua has 53 bits.
        add(LuaNumber.of((double) value), 0);
    }

    @Override
    public void unsigned(long value) {
        if (value >= 0) {
            integer(value);
        } else {
            unsignedDigits(value);
        }
    }

    @Override
    public void digits(long value) {
        bulk(Long.toString(value));
    }

    @Override
    public void unsignedDigits(long value) {
        bulk(Long.toUnsignedString(value));
    }

    @Override
    public void decimal(double value) {
        if (protocol == 2) {
            bulk(String.format(Locale.ROOT, "%.4f", value));
        } else {
            add(new LuaTable().with("double", LuaNumber.of(value)), 0);
        }
    }

    @Override
    public void score(Score score) {
        if (protocol == 2) {
            bulk(score.toString());
        } else {
            add(new LuaTable().with("double", LuaNumber.of(score.whole() + score.fraction())), 0);
        }
    }

    @Override
    public void bulk(byte[] bytes, int offset, int length) {
        byte[] copy = new byte[length];
        System.arraycopy(bytes, offset, copy, 0, length);
        add(LuaString.of(copy), length);
    }

    @Override
    public void text(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void nil() {
        add(protocol == 2 ? LuaBoolean.FALSE : LuaNil.NIL, 0);
    }

    @Override
    public void nilArray() {
        nil();
    }

    @Override
    public void array(int count) {
        LuaTable table = new LuaTable();
        open(table, table, count, false, false);
    }

    @Override
    public void map(int count) {
        LuaTable table = new LuaTable();
        if (protocol == 2) {
            open(table, table, 2 * count, false, false);
        } else {
            open(new LuaTable().with("map", table), table, 2 * count, false, true);
        }
    }

    @Override
    public void set(int count) {
        LuaTable table = new LuaTable();
        if (protocol == 2) {
            open(table, table, count, false, false);
        } else {
            open(new LuaTable().with("set", table), table, count, true, false);
        }
    }

    @Override
    public void push(int count) {
        array(count);
    }
}
