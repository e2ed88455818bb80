package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// `struct`: numbers and strings in the layouts of C.
final class StructLibrary {
    private static final int MOST_INTEGER = 32;
    private static final int NATIVE_ALIGNMENT = 8;

    private StructLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "pack", StructLibrary::pack);
        BaseLibrary.add(library, "unpack", StructLibrary::unpack);
        BaseLibrary.add(library, "size", StructLibrary::size);
        return library;
    }

    /// Reads a format: option by option, with the alignment and byte order that hold there.
    private static final class Format {
        private final Call call;
        private final byte[] text;
        private int at;
        private int alignment = 1;
        private boolean isLittle = true;

        private int option;
        private int size;

        Format(Call call) {
            this.call = call;
            text = call.string(1).bytes();
            call.machine().charge(text.length / 4);
        }

        boolean hasNext() {
            return at < text.length;
        }

        /// Reads the next option, and the padding that it needs at a position of the data.
        int next(int position) {
            option = text[at++];
            size = switch (option) {
                case 'B', 'b', 'x', 's' -> option == 's' ? 0 : 1;
                case 'H', 'h' -> 2;
                case 'L', 'l', 'T', 'd' -> 8;
                case 'f' -> 4;
                case 'c' -> number(1);
                case 'i', 'I' -> integerSize();
                default -> {
                    control();
                    yield 0;
                }
            };
            boolean isAligned = "HhLlTdfiI".indexOf(option) >= 0;
            int align = Math.min(size, alignment);
            if (!isAligned || align <= 1) {
                return 0;
            }
            if ((align & (align - 1)) != 0) {
                throw new LuaError("alignment is not power of 2");
            }
            return (align - (position & (align - 1))) & (align - 1);
        }

        private int integerSize() {
            int wanted = number(4);
            if (wanted > MOST_INTEGER) {
                throw new LuaError("integral size " + wanted + " is larger than limit of " + MOST_INTEGER);
            }
            return wanted;
        }

        private int number(int otherwise) {
            if (!hasNext() || !Letters.isDigit(text[at])) {
                return otherwise;
            }
            int number = 0;
            while (hasNext() && Letters.isDigit(text[at])) {
                if (number > (Integer.MAX_VALUE - 9) / 10) {
                    throw new LuaError("integral size overflow");
                }
                number = number * 10 + text[at++] - '0';
            }
            return number;
        }

        private void control() {
            switch (option) {
                case ' ' -> {}
                case '>' -> isLittle = false;
                case '<' -> isLittle = true;
                case '!' -> {
                    int wanted = number(NATIVE_ALIGNMENT);
                    if (wanted <= 0 || (wanted & (wanted - 1)) != 0) {
                        throw new LuaError("alignment is not a power of 2");
                    }
                    alignment = wanted;
                }
                default -> throw call.bad(1, "invalid format option '" + (char) option + "'");
            }
        }
    }

    private static LuaValue[] pack(Call call) {
        Format format = new Format(call);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int argument = 2;
        while (format.hasNext()) {
            call.machine().charge(1);
            out.writeBytes(new byte[format.next(out.size())]);
            switch (format.option) {
                case 'x' -> out.write(0);
                case 'f' -> put(out, format, Float.floatToRawIntBits((float) call.number(argument++)));
                case 'd' -> put(out, format, Double.doubleToRawLongBits(call.number(argument++)));
                case 's', 'c' -> {
                    byte[] text = call.string(argument).bytes();
                    int length = format.option == 's' || format.size == 0 ? text.length : format.size;
                    if (text.length < length) {
                        throw call.bad(argument + 1, "string too short");
                    }
                    argument++;
                    call.machine().chargeBytes(2L * length);
                    out.write(text, 0, length);
                    if (format.option == 's') {
                        out.write(0);
                    }
                }
                case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I' -> put(out, format, bits(call.number(argument++)));
                default -> {}
            }
        }
        return Call.results(LuaString.of(out.toByteArray()));
    }

    private static long bits(double value) {
        return value < Long.MAX_VALUE ? (long) value : (long) (value - 0x1p63) + Long.MIN_VALUE;
    }

    private static void put(ByteArrayOutputStream out, Format format, long value) {
        for (int i = 0; i < format.size; i++) {
            int place = format.isLittle ? i : format.size - 1 - i;
            out.write(place < 8 ? (int) (value >> (8 * place)) : 0);
        }
    }

    private static LuaValue[] unpack(Call call) {
        Format format = new Format(call);
        byte[] data = call.string(2).bytes();
        long start = call.integer(3, 1);
        if (start <= 0) {
            throw call.bad(3, "offset must be 1 or greater");
        }
        if (start - 1 > data.length) {
            throw call.bad(2, "data string too short");
        }
        int position = (int) start - 1;
        List<LuaValue> values = new ArrayList<>();
        while (format.hasNext()) {
            call.machine().charge(1);
            int padding = format.next(position);
            if ((long) position + padding + format.size > data.length) {
                throw call.bad(2, "data string too short");
            }
            position += padding;
            position += take(call, format, data, position, values);
        }
        values.add(LuaNumber.of(position + 1));
        return values.toArray(LuaValue.NONE);
    }

    /// Returns how many bytes it took.
    private static int take(Call call, Format format, byte[] data, int position, List<LuaValue> values) {
        switch (format.option) {
            case 'x' -> {
                return 1;
            }
            case 'f' -> values.add(LuaNumber.of(Float.intBitsToFloat((int) get(data, format, position))));
            case 'd' -> values.add(LuaNumber.of(Double.longBitsToDouble(get(data, format, position))));
            case 's' -> {
                int end = position;
                while (end < data.length && data[end] != 0) {
                    end++;
                }
                call.machine().chargeBytes(end - position);
                if (end == data.length) {
                    throw new LuaError("unfinished string in data");
                }
                values.add(LuaString.of(Arrays.copyOfRange(data, position, end)));
                return end - position + 1;
            }
            case 'c' -> {
                return takeLetters(call, format, data, position, values);
            }
            case 'b', 'h', 'l', 'i' -> values.add(LuaNumber.of(signed(get(data, format, position), format.size)));
            case 'B', 'H', 'L', 'T', 'I' -> values.add(LuaNumber.of(unsigned(get(data, format, position))));
            default -> {}
        }
        return format.size;
    }

    private static int takeLetters(Call call, Format format, byte[] data, int position, List<LuaValue> values) {
        int size = format.size;
        if (size == 0) {
            if (values.isEmpty() || !(values.getLast() instanceof LuaNumber number)) {
                throw new LuaError("format 'c0' needs a previous size");
            }
            values.removeLast();
            double wanted = number.value();
            if (!(wanted >= 0 && position + wanted <= data.length)) {
                throw call.bad(2, "data string too short");
            }
            size = (int) wanted;
        }
        call.machine().chargeBytes(size);
        values.add(LuaString.of(Arrays.copyOfRange(data, position, position + size)));
        return size;
    }

    private static long get(byte[] data, Format format, int position) {
        long value = 0;
        for (int i = 0; i < format.size; i++) {
            int at = format.isLittle ? position + format.size - 1 - i : position + i;
            value = (value << 8) | (data[at] & 0xFF);
        }
        return value;
    }

    private static double signed(long value, int size) {
        int unused = 64 - 8 * Math.min(size, 8);
        return (double) (value << unused >> unused);
    }

    private static double unsigned(long value) {
        return value >= 0 ? (double) value : (value >>> 1) * 2.0;
    }

    private static LuaValue[] size(Call call) {
        Format format = new Format(call);
        long position = 0;
        while (format.hasNext()) {
            call.machine().charge(1);
            position += format.next((int) (position & (NATIVE_ALIGNMENT * 128 - 1)));
            if (format.option == 's') {
                throw call.bad(1, "option 's' has no fixed size");
            }
            if (format.option == 'c' && format.size == 0) {
                throw call.bad(1, "option 'c0' has no fixed size");
            }
            position += format.size;
        }
        return Call.results(LuaNumber.of((double) position));
    }
}
