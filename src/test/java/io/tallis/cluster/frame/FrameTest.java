package io.tallis.cluster.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteWriter;
import org.junit.jupiter.api.Test;

final class FrameTest {
    private static final ReplicaId SESSION = new ReplicaId(7, 8);

    @Test
    void read_ofASealedFrame_givesWhatWasWritten() throws Exception {
        Frame frame = Frame.read(frame(2), 2);

        assertThat(frame.kind()).isEqualTo(Kind.ASK);
        assertThat(frame.version()).isEqualTo(2);
        assertThat(frame.session()).isEqualTo(SESSION);
        assertThat(frame.head()).isEqualTo(42);
        assertThat(frame.body().i32()).isEqualTo(99);
        assertThat(frame.body().remaining()).isZero();
    }

    @Test
    void read_ofANewerVersion_isRefused() {
        assertThatThrownBy(() -> Frame.read(frame(2), 1)).hasMessageContaining("version is 2");
    }

    @Test
    void read_withAnyBitFlipped_isRefused() {
        byte[] frame = frame(1);
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] flipped = frame.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);

            assertThatThrownBy(() -> Frame.read(flipped, 1))
                    .as("bit %d", bit)
                    .isInstanceOf(Frame.BadFrameException.class);
        }
    }

    @Test
    void read_ofAPart_isRefused() {
        byte[] frame = frame(1);
        for (int length = 0; length < frame.length; length++) {
            byte[] part = java.util.Arrays.copyOf(frame, length);

            assertThatThrownBy(() -> Frame.read(part, 1)).isInstanceOf(Frame.BadFrameException.class);
        }
    }

    @Test
    void read_ofMoreBytesThanItsKindMayHave_isRefused() throws Exception {
        for (Kind kind : Kind.values()) {
            assertThat(Frame.read(frame(kind, kind.mostBytes()), 1).kind()).isEqualTo(kind);

            assertThatThrownBy(() -> Frame.read(frame(kind, kind.mostBytes() + 1), 1))
                    .isInstanceOf(Frame.BadFrameException.class)
                    .hasMessageContaining("a " + kind + " frame of ");
        }
    }

    private static byte[] frame(Kind kind, int length) {
        ByteWriter out = new ByteWriter(length);
        Frame.begin(out, kind, SESSION, 42, 0);
        byte[] rest = new byte[length - out.position()];
        out.bytes(rest, 0, rest.length);
        return Frame.seal(out, 1);
    }

    private static byte[] frame(int version) {
        ByteWriter out = new ByteWriter(64);
        Frame.begin(out, Kind.ASK, SESSION, 42, 0);
        out.i32(99);
        return Frame.seal(out, version);
    }
}
