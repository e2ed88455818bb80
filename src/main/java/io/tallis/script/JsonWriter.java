package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// `cjson.encode`
final class JsonWriter {
    private final Machine machine;
    private final JsonLibrary options;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    JsonWriter(Machine machine, JsonLibrary options) {
        this.machine = machine;
        this.options = options;
    }

    LuaString write(LuaValue value) {
        write(value, 0);
        return LuaString.of(out.toByteArray());
    }

    private void put(String text) {
        machine.charge(1);
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void write(LuaValue value, int depth) {
        switch (value) {
            case LuaNil _ -> put("null");
            case LuaToken _ -> put("null");
            case LuaBoolean bool -> put(bool.isTrue() ? "true" : "false");
            case LuaNumber number -> {
                machine.chargeDigits(number.value());
                put(text(number.value()));
            }
            case LuaString string -> writeString(string.bytes());
            case LuaTable table -> writeTable(table, depth + 1);
            default -> throw new LuaError("Cannot serialise " + value.typeName() + ": type not supported");
        }
    }

    private String text(double value) {
        if (!Double.isFinite(value)) {
            if (!options.encodesInvalid) {
                throw new LuaError("Cannot serialise number: must not be NaN or Inf");
            }
            return Double.isNaN(value) ? "nan" : NumberText.of(value);
        }
        return options.digits == 14 ? NumberText.of(value) : NumberText.general(value, options.digits, false);
    }

    private void writeTable(LuaTable table, int depth) {
        if (depth > options.encodeDepth) {
            throw new LuaError("Cannot serialise, excessive nesting (" + depth + ")");
        }
        int length = arrayLength(table);
        if (length > 0) {
            out.write('[');
            for (int i = 1; i <= length; i++) {
                put(i == 1 ? "" : ",");
                write(table.get(i), depth);
            }
            out.write(']');
        } else {
            writeObject(table, depth);
        }
    }

    /// The largest key if all keys are positive whole numbers, else -1.
    private int arrayLength(LuaTable table) {
        machine.charge(table.places());
        int entries = 0;
        double most = 0;
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            boolean isIndex = key instanceof LuaNumber number
                    && number.value() >= 1
                    && number.value() == Math.floor(number.value());
            if (!isIndex) {
                return -1;
            }
            most = Math.max(most, ((LuaNumber) key).value());
            entries++;
        }
        boolean isSparse =
                options.sparseRatio > 0 && most > (double) entries * options.sparseRatio && most > options.sparseSafe;
        if (isSparse) {
            if (!options.sparseConvert) {
                throw new LuaError("Cannot serialise table: excessively sparse array");
            }
            return -1;
        }
        return (int) most;
    }

    private void writeObject(LuaTable table, int depth) {
        out.write('{');
        LuaValue key = LuaNil.NIL;
        boolean isFirst = true;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            put(isFirst ? "" : ",");
            isFirst = false;
            switch (key) {
                case LuaNumber number -> {
                    machine.chargeDigits(number.value());
                    put("\"" + text(number.value()) + "\"");
                }
                case LuaString string -> writeString(string.bytes());
                default ->
                    throw new LuaError("Cannot serialise " + key.typeName() + ": table key must be a number or string");
            }
            out.write(':');
            write(table.valueAt(at), depth);
        }
        out.write('}');
    }

    private void writeString(byte[] text) {
        // A letter may take six.
        machine.chargeBytes(6L * text.length);
        out.write('"');
        for (byte letter : text) {
            switch (letter) {
                case '"' -> put("\\\"");
                case '\\' -> put("\\\\");
                case '/' -> put("\\/");
                case '\b' -> put("\\b");
                case '\t' -> put("\\t");
                case '\n' -> put("\\n");
                case '\f' -> put("\\f");
                case '\r' -> put("\\r");
                default -> {
                    if (Letters.isControl(letter)) {
                        put(letter < 16 ? "\\u000" : "\\u00");
                        put(Integer.toHexString(letter));
                    } else {
                        out.write(letter);
                    }
                }
            }
        }
        out.write('"');
    }
}
