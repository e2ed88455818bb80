package io.tallis.script;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A coroutine: a stack of values and of calls. The script itself is one too.
final class LuaThread implements LuaValue {
    private static final int FIRST_SLOTS = 64;
    private static final int FIRST_FRAMES = 8;
    private static final int MOST_FRAMES = 20_000;

    /// Slots above those that a function asks for, for arguments of calls.
    private static final int ROOM = 8;

    enum Status {
        SUSPENDED,
        RUNNING,
        /// It has resumed another one.
        NORMAL,
        DEAD
    }

    /// A call of a function in Lua.
    static final class Frame {
        @Nullable
        LuaClosure closure;

        int base;
        int pc;

        /// How many results its caller wants; -1 for all. They go to the slot below `base`.
        int wanted;

        LuaValue[] varargs = NONE;
        boolean calledFromJava;

        LuaClosure running() {
            LuaClosure now = closure;
            if (now == null) {
                throw new IllegalStateException("a frame that is not in use");
            }
            return now;
        }

        int line() {
            Prototype prototype = running().prototype;
            return prototype.lines()[Math.clamp(pc - 1, 0, prototype.lines().length - 1)];
        }
    }

    LuaValue[] stack = new LuaValue[FIRST_SLOTS];
    int top;
    Frame[] frames = new Frame[FIRST_FRAMES];
    int depth;

    @Nullable
    UpValue open;

    /// How many calls from Java are on the stack of the thread within this coroutine.
    int nested;

    Status status = Status.SUSPENDED;

    /// Where the results go of the call by which it yielded; and what it passes out, or null if it has not yielded.
    int yieldSlot;

    int yieldWanted;
    LuaValue @Nullable [] yielded;

    LuaThread() {
        Arrays.fill(stack, LuaNil.NIL);
    }

    @Override
    public String typeName() {
        return "thread";
    }

    Frame frame() {
        return frames[depth - 1];
    }

    /// Makes room for `slots` above `from`. Returns the bytes that this took.
    int ensure(int from, int slots) {
        int needed = from + slots + ROOM;
        if (needed <= stack.length) {
            return 0;
        }
        int before = stack.length;
        stack = Arrays.copyOf(stack, Math.max(needed, before * 2));
        Arrays.fill(stack, before, stack.length, LuaNil.NIL);
        return (stack.length - before) * Integer.BYTES;
    }

    Frame pushFrame() {
        if (depth == MOST_FRAMES) {
            throw LuaError.ofInstruction("stack overflow");
        }
        if (depth == frames.length) {
            frames = Arrays.copyOf(frames, depth * 2);
        }
        Frame frame = frames[depth];
        if (frame == null) {
            frame = new Frame();
            frames[depth] = frame;
        }
        depth++;
        return frame;
    }

    void popFrame() {
        Frame frame = frames[--depth];
        frame.closure = null;
        frame.varargs = NONE;
        frame.calledFromJava = false;
    }

    /// Returns to an earlier state of the stack, after an error.
    void unwind(int toDepth, int toTop) {
        close(toTop);
        while (depth > toDepth) {
            popFrame();
        }
        top = toTop;
    }

    UpValue upValue(int slot) {
        UpValue above = null;
        UpValue at = open;
        while (at != null && at.slot > slot) {
            above = at;
            at = at.next;
        }
        if (at != null && at.slot == slot) {
            return at;
        }
        UpValue made = new UpValue(this, slot, at);
        if (above == null) {
            open = made;
        } else {
            above.next = made;
        }
        return made;
    }

    /// Closes the upvalues from this slot on.
    void close(int slot) {
        UpValue at = open;
        while (at != null && at.slot >= slot) {
            at.close();
            at = at.next;
        }
        open = at;
    }
}
