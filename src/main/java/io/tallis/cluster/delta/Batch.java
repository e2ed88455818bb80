package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.wire.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/// Packs entries into frames, and multicasts the frames when all entries are packed: entries are written while a
/// partition is locked, and sending, which may take long, must not happen then.
public final class Batch {
    /// A frame has no more bytes than this, unless its only entry has.
    public static final int FRAME_BYTES = 8_000;

    private final Sender sender;
    private final Pace pace;
    private final Supplier<ByteWriter> beginning;
    private final List<byte[]> frames = new ArrayList<>();
    private ByteWriter out = new ByteWriter(0);
    private boolean begun;
    private int entryAt;
    private long bytes;
    private long unsent;

    /// `beginning` begins a frame of `sender` and returns where to write its body.
    Batch(Sender sender, Pace pace, Supplier<ByteWriter> beginning) {
        this.sender = sender;
        this.pace = pace;
        this.beginning = beginning;
    }

    /// Returns where to write the next entry; [#added] follows.
    ByteWriter entry() {
        if (!begun) {
            begin();
        }
        entryAt = out.position();
        return out;
    }

    /// An entry was written. If it does not fit, it is moved to a new frame.
    void added() {
        unsent += out.position() - entryAt;
        if (out.position() > FRAME_BYTES && entryAt > Frame.HEAD_BYTES) {
            byte[] entry = Arrays.copyOfRange(out.array(), entryAt, out.position());
            out.position(entryAt);
            end();
            begin();
            out.bytes(entry, 0, entry.length);
        }
    }

    void multicast() {
        end();
        for (byte[] frame : frames) {
            pace.spend(frame.length);
            bytes += frame.length;
            sender.multicast(frame);
        }
        frames.clear();
        unsent = 0;
    }

    /// About how many bytes wait to be multicast.
    long unsent() {
        return unsent;
    }

    /// How many bytes of frames were multicast.
    long bytes() {
        return bytes;
    }

    private void begin() {
        out = beginning.get();
        begun = true;
    }

    private void end() {
        if (begun) {
            frames.add(sender.seal());
            begun = false;
        }
    }
}
