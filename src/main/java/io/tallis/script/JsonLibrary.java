package io.tallis.script;

/// `cjson`, with its options, which each script finds at their defaults.
final class JsonLibrary {
    /// Less than in Redis, since each level takes a part of the stack of the thread.
    private static final int MOST_DEPTH = 200;
    private static final int DEFAULT_DIGITS = 14;
    private static final int DEFAULT_SPARSE_RATIO = 2;
    private static final int DEFAULT_SPARSE_SAFE = 10;

    /// A table whose keys are positive whole numbers is an array, unless it is longer than `sparseRatio` times its
    /// entries and than `sparseSafe`: then it is refused, or written as an object if `sparseConvert` is set.
    boolean sparseConvert;

    int sparseRatio;
    int sparseSafe;
    int encodeDepth;
    int digits;
    boolean encodesInvalid;
    private int decodeDepth;

    JsonLibrary() {
        reset();
    }

    void reset() {
        sparseConvert = false;
        sparseRatio = DEFAULT_SPARSE_RATIO;
        sparseSafe = DEFAULT_SPARSE_SAFE;
        encodeDepth = MOST_DEPTH;
        decodeDepth = MOST_DEPTH;
        digits = DEFAULT_DIGITS;
        encodesInvalid = false;
    }

    LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "encode", this::encode);
        BaseLibrary.add(library, "decode", this::decode);
        BaseLibrary.add(library, "encode_sparse_array", this::sparseArray);
        BaseLibrary.add(library, "encode_max_depth", call -> {
            encodeDepth = option(call, encodeDepth, MOST_DEPTH);
            return Call.results(LuaNumber.of(encodeDepth));
        });
        BaseLibrary.add(library, "decode_max_depth", call -> {
            decodeDepth = option(call, decodeDepth, MOST_DEPTH);
            return Call.results(LuaNumber.of(decodeDepth));
        });
        BaseLibrary.add(library, "encode_number_precision", call -> {
            digits = option(call, digits, DEFAULT_DIGITS);
            return Call.results(LuaNumber.of(digits));
        });
        BaseLibrary.add(library, "encode_invalid_numbers", call -> {
            encodesInvalid = call.count() == 0 ? encodesInvalid : call.value(1).isTrue();
            return Call.results(LuaBoolean.of(encodesInvalid));
        });
        BaseLibrary.add(library, "decode_invalid_numbers", _ -> Call.results(LuaBoolean.TRUE));
        BaseLibrary.add(library, "encode_keep_buffer", _ -> Call.results(LuaBoolean.TRUE));
        BaseLibrary.add(library, "new", _ -> Call.results(make()));
        library.with("null", LuaToken.JSON_NULL);
        library.with("_NAME", LuaString.of("cjson"));
        library.with("_VERSION", LuaString.of("2.1.0"));
        return library;
    }

    private LuaValue[] encode(Call call) {
        requireOne(call);
        return Call.results(new JsonWriter(call.machine(), this).write(call.value(1)));
    }

    private LuaValue[] decode(Call call) {
        requireOne(call);
        return Call.results(
                new JsonReader(call.machine(), decodeDepth, call.string(1).bytes()).read());
    }

    private static void requireOne(Call call) {
        if (call.count() != 1) {
            throw call.bad(1, "expected 1 argument");
        }
    }

    private static int option(Call call, int now, int most) {
        if (!call.has(1)) {
            return now;
        }
        long wanted = call.integer(1);
        if (wanted < 1 || wanted > most) {
            throw call.bad(1, "expected integer between 1 and " + most);
        }
        return (int) wanted;
    }

    private LuaValue[] sparseArray(Call call) {
        sparseConvert = call.has(1) ? call.value(1).isTrue() : sparseConvert;
        sparseRatio = Math.clamp(call.integer(2, sparseRatio), 0, Integer.MAX_VALUE);
        sparseSafe = Math.clamp(call.integer(3, sparseSafe), 0, Integer.MAX_VALUE);
        return Call.results(LuaBoolean.of(sparseConvert), LuaNumber.of(sparseRatio), LuaNumber.of(sparseSafe));
    }
}
