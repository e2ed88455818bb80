package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// `cmsgpack`
final class MessagePackLibrary {
    /// Tables below this level are packed as nil.
    private static final int MOST_DEPTH = 16;

    private static final int MOST_UNPACK_DEPTH = 200;

    private MessagePackLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "pack", MessagePackLibrary::pack);
        BaseLibrary.add(library, "unpack", call -> unpack(call, Integer.MAX_VALUE, 0, false));
        BaseLibrary.add(library, "unpack_one", call -> unpack(call, 1, call.integer(2, 0), true));
        BaseLibrary.add(library, "unpack_limit", call -> unpack(call, (int) call.integer(2), call.integer(3, 0), true));
        library.with("_NAME", LuaString.of("cmsgpack"));
        library.with("_VERSION", LuaString.of("lua-cmsgpack 0.4.0"));
        library.with("_COPYRIGHT", LuaString.of(""));
        library.with("_DESCRIPTION", LuaString.of("MessagePack C implementation for Lua"));
        return library;
    }

    private static LuaValue[] pack(Call call) {
        if (call.count() == 0) {
            throw call.bad(0, "MessagePack pack needs input.");
        }
        Packer packer = new Packer(call.machine());
        for (LuaValue value : call.arguments()) {
            packer.put(value, 0);
        }
        return Call.results(LuaString.of(packer.out.toByteArray()));
    }

    private static LuaValue[] unpack(Call call, int limit, long offset, boolean wantsOffset) {
        LuaString text = call.string(1);
        if (offset < 0 || limit < 0) {
            throw new LuaError(
                    "Invalid request to unpack with offset of " + offset + " and limit of " + text.length() + ".");
        }
        if (offset > text.length()) {
            throw new LuaError("Start offset " + offset + " greater than input length " + text.length() + ".");
        }
        ByteBuffer in = ByteBuffer.wrap(text.bytes());
        in.position((int) offset);
        List<LuaValue> values = new ArrayList<>();
        try {
            for (int i = 0; i < limit && in.hasRemaining(); i++) {
                values.add(new Unpacker(call.machine(), in).take(0));
            }
        } catch (BufferUnderflowException _) {
            throw new LuaError("Missing bytes in input.");
        }
        if (wantsOffset) {
            values.addFirst(LuaNumber.of(in.hasRemaining() ? in.position() : -1));
        }
        return values.toArray(LuaValue.NONE);
    }

    private static final class Packer {
        private final Machine machine;
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Packer(Machine machine) {
            this.machine = machine;
        }

        void put(LuaValue value, int depth) {
            machine.charge(1);
            switch (value) {
                case LuaBoolean bool -> out.write(bool.isTrue() ? 0xC3 : 0xC2);
                case LuaNumber number -> putNumber(number.value());
                case LuaString string -> putString(string.bytes());
                case LuaTable table -> putTable(table, depth);
                default -> out.write(0xC0);
            }
        }

        private void putBytes(int head, int size, long value) {
            out.write(head);
            for (int i = size - 1; i >= 0; i--) {
                out.write((int) (value >> (8 * i)));
            }
        }

        private void putNumber(double value) {
            long whole = (long) value;
            if (whole != value || whole == Long.MAX_VALUE) {
                boolean isFloat = (float) value == value;
                if (isFloat) {
                    putBytes(0xCA, 4, Float.floatToRawIntBits((float) value));
                } else {
                    putBytes(0xCB, 8, Double.doubleToRawLongBits(value));
                }
            } else if (whole >= 0) {
                putPositive(whole);
            } else {
                putNegative(whole);
            }
        }

        private void putPositive(long value) {
            if (value <= 127) {
                out.write((int) value);
            } else if (value <= 0xFF) {
                putBytes(0xCC, 1, value);
            } else if (value <= 0xFFFF) {
                putBytes(0xCD, 2, value);
            } else if (value <= 0xFFFFFFFFL) {
                putBytes(0xCE, 4, value);
            } else {
                putBytes(0xCF, 8, value);
            }
        }

        private void putNegative(long value) {
            if (value >= -32) {
                out.write((int) value);
            } else if (value >= Byte.MIN_VALUE) {
                putBytes(0xD0, 1, value);
            } else if (value >= Short.MIN_VALUE) {
                putBytes(0xD1, 2, value);
            } else if (value >= Integer.MIN_VALUE) {
                putBytes(0xD2, 4, value);
            } else {
                putBytes(0xD3, 8, value);
            }
        }

        private void putString(byte[] text) {
            machine.chargeBytes(2L * text.length);
            if (text.length < 32) {
                out.write(0xA0 | text.length);
            } else if (text.length <= 0xFF) {
                putBytes(0xD9, 1, text.length);
            } else if (text.length <= 0xFFFF) {
                putBytes(0xDA, 2, text.length);
            } else {
                putBytes(0xDB, 4, text.length);
            }
            out.writeBytes(text);
        }

        private void putHead(int size, int small, int large) {
            if (size < 16) {
                out.write(small | size);
            } else if (size <= 0xFFFF) {
                putBytes(large, 2, size);
            } else {
                putBytes(large + 1, 4, size);
            }
        }

        private void putTable(LuaTable table, int depth) {
            if (depth == MOST_DEPTH) {
                out.write(0xC0);
                return;
            }
            machine.charge(table.places());
            int entries = 0;
            double most = 0;
            boolean isArray = true;
            LuaValue key = LuaNil.NIL;
            for (int at = table.next(key); at >= 0; at = table.next(key)) {
                key = table.keyAt(at);
                boolean isIndex = key instanceof LuaNumber number
                        && number.value() >= 1
                        && number.value() == Math.floor(number.value());
                isArray &= isIndex;
                most = isIndex ? Math.max(most, ((LuaNumber) key).value()) : most;
                entries++;
            }
            if (isArray && most == entries) {
                putHead(entries, 0x90, 0xDC);
                for (int i = 1; i <= entries; i++) {
                    put(table.get(i), depth + 1);
                }
                return;
            }
            putHead(entries, 0x80, 0xDE);
            key = LuaNil.NIL;
            for (int at = table.next(key); at >= 0; at = table.next(key)) {
                key = table.keyAt(at);
                put(key, depth + 1);
                put(table.valueAt(at), depth + 1);
            }
        }
    }

    private record Unpacker(Machine machine, ByteBuffer in) {
        LuaValue take(int depth) {
            machine.charge(1);
            int head = in.get() & 0xFF;
            if (head < 0x80 || head >= 0xE0) {
                return LuaNumber.of((byte) head);
            }
            if (head < 0x90) {
                return map(head & 15, depth);
            }
            if (head < 0xA0) {
                return array(head & 15, depth);
            }
            if (head < 0xC0) {
                return string(head & 31);
            }
            return switch (head) {
                case 0xC0 -> LuaNil.NIL;
                case 0xC2 -> LuaBoolean.FALSE;
                case 0xC3 -> LuaBoolean.TRUE;
                case 0xCA -> LuaNumber.of(in.getFloat());
                case 0xCB -> LuaNumber.of(in.getDouble());
                case 0xCC -> LuaNumber.of(in.get() & 0xFF);
                case 0xCD -> LuaNumber.of(in.getShort() & 0xFFFF);
                case 0xCE -> LuaNumber.of((double) (in.getInt() & 0xFFFFFFFFL));
                case 0xCF -> LuaNumber.of(unsigned(in.getLong()));
                case 0xD0 -> LuaNumber.of(in.get());
                case 0xD1 -> LuaNumber.of(in.getShort());
                case 0xD2 -> LuaNumber.of(in.getInt());
                case 0xD3 -> LuaNumber.of((double) in.getLong());
                case 0xC4, 0xD9 -> string(in.get() & 0xFF);
                case 0xC5, 0xDA -> string(in.getShort() & 0xFFFF);
                case 0xC6, 0xDB -> string(in.getInt() & 0xFFFFFFFFL);
                case 0xDC -> array(in.getShort() & 0xFFFF, depth);
                case 0xDD -> array(in.getInt() & 0xFFFFFFFFL, depth);
                case 0xDE -> map(in.getShort() & 0xFFFF, depth);
                case 0xDF -> map(in.getInt() & 0xFFFFFFFFL, depth);
                default -> throw new LuaError("Bad data format in input.");
            };
        }

        private static double unsigned(long value) {
            return value >= 0 ? (double) value : (value >>> 1) * 2.0;
        }

        private LuaString string(long length) {
            if (length > in.remaining()) {
                throw new BufferUnderflowException();
            }
            machine.chargeBytes(length);
            byte[] bytes = new byte[(int) length];
            in.get(bytes);
            return LuaString.of(bytes);
        }

        private static int deeper(int depth) {
            if (depth == MOST_UNPACK_DEPTH) {
                throw new LuaError("Bad data format in input.");
            }
            return depth + 1;
        }

        private LuaTable array(long size, int depth) {
            LuaTable table = machine.newTable();
            for (long i = 1; i <= size; i++) {
                machine.rawSet(table, LuaNumber.of((double) i), take(deeper(depth)));
            }
            return table;
        }

        private LuaTable map(long size, int depth) {
            LuaTable table = machine.newTable();
            for (long i = 0; i < size; i++) {
                LuaValue key = take(deeper(depth));
                machine.rawSet(table, key, take(depth + 1));
            }
            return table;
        }
    }
}
