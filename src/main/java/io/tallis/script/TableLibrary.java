package io.tallis.script;

import java.io.ByteArrayOutputStream;

/// `table`
final class TableLibrary {
    private TableLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "concat", TableLibrary::concat);
        BaseLibrary.add(library, "foreach", TableLibrary::forEach);
        BaseLibrary.add(library, "foreachi", TableLibrary::forEachIndex);
        BaseLibrary.add(
                library, "getn", call -> Call.results(LuaNumber.of(call.table(1).length())));
        BaseLibrary.add(library, "insert", TableLibrary::insert);
        BaseLibrary.add(library, "maxn", TableLibrary::maxN);
        BaseLibrary.add(library, "remove", TableLibrary::remove);
        BaseLibrary.add(library, "setn", _ -> {
            throw new LuaError("'setn' is obsolete");
        });
        BaseLibrary.add(library, "sort", TableLibrary::sort);
        return library;
    }

    private static LuaValue[] concat(Call call) {
        LuaTable table = call.table(1);
        LuaString separator = call.has(2) ? call.string(2) : LuaString.EMPTY;
        long from = call.integer(3, 1);
        long to = call.has(4) ? call.integer(4) : table.length();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (long i = from; i <= to; i++) {
            LuaValue value = table.get(LuaNumber.of((double) i));
            if (!(value instanceof LuaString || value instanceof LuaNumber)) {
                throw new LuaError("invalid value (" + value.typeName() + ") at index " + i + " in table for 'concat'");
            }
            append(call, call.machine().text(value), out);
            if (i < to) {
                append(call, separator, out);
            }
        }
        return Call.results(LuaString.of(out.toByteArray()));
    }

    private static void append(Call call, LuaString text, ByteArrayOutputStream out) {
        // The bytes are copied as the result grows, and into the result.
        call.machine().chargeBytes(Machine.BYTES_PER_STEP + 2L * text.length());
        out.writeBytes(text.bytes());
    }

    private static LuaValue[] forEach(Call call) {
        LuaTable table = call.table(1);
        LuaFunction function = call.function(2);
        call.machine().charge(table.places());
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            LuaValue[] results = call.machine().call(function, key, table.valueAt(at));
            if (results.length > 0 && !results[0].isNil()) {
                return Call.results(results[0]);
            }
        }
        return LuaValue.NONE;
    }

    private static LuaValue[] forEachIndex(Call call) {
        LuaTable table = call.table(1);
        LuaFunction function = call.function(2);
        int length = table.length();
        for (int i = 1; i <= length; i++) {
            LuaValue[] results = call.machine().call(function, LuaNumber.of(i), table.get(i));
            if (results.length > 0 && !results[0].isNil()) {
                return Call.results(results[0]);
            }
        }
        return LuaValue.NONE;
    }

    private static LuaValue[] insert(Call call) {
        LuaTable table = call.table(1);
        int end = table.length() + 1;
        if (call.count() == 2) {
            call.machine().rawSet(table, LuaNumber.of(end), call.value(2));
            return LuaValue.NONE;
        }
        if (call.count() != 3) {
            throw new LuaError("wrong number of arguments to 'insert'");
        }
        int position = (int) call.integer(2);
        end = Math.max(end, position);
        for (int i = end; i > position; i--) {
            call.machine().charge(1);
            call.machine().rawSet(table, LuaNumber.of(i), table.get(i - 1));
        }
        call.machine().rawSet(table, LuaNumber.of(position), call.value(3));
        return LuaValue.NONE;
    }

    private static LuaValue[] remove(Call call) {
        LuaTable table = call.table(1);
        int end = table.length();
        int position = (int) call.integer(2, end);
        if (position < 1 || position > end) {
            return LuaValue.NONE;
        }
        LuaValue removed = table.get(position);
        for (int i = position; i < end; i++) {
            call.machine().charge(1);
            call.machine().rawSet(table, LuaNumber.of(i), table.get(i + 1));
        }
        call.machine().rawSet(table, LuaNumber.of(end), LuaNil.NIL);
        return Call.results(removed);
    }

    private static LuaValue[] maxN(Call call) {
        LuaTable table = call.table(1);
        double most = 0;
        call.machine().charge(table.places());
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            most = key instanceof LuaNumber number ? Math.max(most, number.value()) : most;
        }
        return Call.results(LuaNumber.of(most));
    }

    private static LuaValue[] sort(Call call) {
        LuaTable table = call.table(1);
        int length = table.length();
        LuaValue order = call.value(2);
        if (!order.isNil()) {
            call.function(2);
        }
        if (table.isReadOnly()) {
            throw LuaError.ofInstruction("Attempt to modify a readonly table");
        }
        call.machine().charge(length);
        LuaValue[] values = new LuaValue[length];
        for (int i = 0; i < length; i++) {
            values[i] = table.get(i + 1);
        }
        new Sorter(call.machine(), order, values).sort();
        for (int i = 0; i < length; i++) {
            call.machine().rawSet(table, LuaNumber.of(i + 1), values[i]);
        }
        return LuaValue.NONE;
    }

    /// Sorts by heap: whatever the order function answers, this ends after n log n questions.
    private static final class Sorter {
        private final Machine machine;
        private final LuaValue order;
        private final LuaValue[] values;

        Sorter(Machine machine, LuaValue order, LuaValue[] values) {
            this.machine = machine;
            this.order = order;
            this.values = values;
        }

        void sort() {
            for (int i = values.length / 2 - 1; i >= 0; i--) {
                sink(i, values.length);
            }
            for (int end = values.length - 1; end > 0; end--) {
                swap(0, end);
                sink(0, end);
            }
        }

        private void sink(int from, int end) {
            int parent = from;
            while (2 * parent + 1 < end) {
                int child = 2 * parent + 1;
                if (child + 1 < end && isLess(values[child], values[child + 1])) {
                    child++;
                }
                if (!isLess(values[parent], values[child])) {
                    return;
                }
                swap(parent, child);
                parent = child;
            }
        }

        private void swap(int left, int right) {
            LuaValue kept = values[left];
            values[left] = values[right];
            values[right] = kept;
        }

        private boolean isLess(LuaValue left, LuaValue right) {
            machine.charge(1);
            if (order.isNil()) {
                return machine.less(left, right);
            }
            LuaValue[] results = machine.call(order, left, right);
            return results.length > 0 && results[0].isTrue();
        }
    }
}
