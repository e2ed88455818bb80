package io.tallis.script;

import org.jspecify.annotations.Nullable;

/// A variable of an outer function. *Open*: it is on the stack of a coroutine, while that function has it in scope;
/// *closed*: here.
final class UpValue {
    final int slot;
    private @Nullable LuaThread thread;
    private LuaValue value = LuaNil.NIL;

    /// The next open one, at a lower slot of the same coroutine.
    @Nullable
    UpValue next;

    UpValue(LuaThread thread, int slot, @Nullable UpValue next) {
        this.thread = thread;
        this.slot = slot;
        this.next = next;
    }

    LuaValue get() {
        LuaThread owner = thread;
        return owner == null ? value : owner.stack[slot];
    }

    void set(LuaValue newValue) {
        LuaThread owner = thread;
        if (owner == null) {
            value = newValue;
        } else {
            owner.stack[slot] = newValue;
        }
    }

    void close() {
        value = get();
        thread = null;
    }
}
