package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import org.junit.jupiter.api.Test;

final class VectorTest {
    private static final ReplicaId A = new ReplicaId(1, 1);
    private static final ReplicaId B = new ReplicaId(2, 2);

    @Test
    void read_ofWhatWasWritten_isEqual() throws MalformedException {
        Vector vector = vector(5, 1);
        ByteWriter out = new ByteWriter(64);

        vector.write(out);

        Vector read = Vector.read(ByteReader.of(out.toByteArray()));
        assertThat(read.entries()).isEqualTo(vector.entries());
        assertThat(read.hash()).isEqualTo(vector.hash());
    }

    @Test
    void read_ofMoreSessionsThanThereMayBe_isRefused() throws MalformedException {
        Vector largest = new Vector();
        for (int i = 0; i <= Sessions.MOST; i++) {
            largest.raise(new ReplicaId(i, 1), new Known(Long.MAX_VALUE, Long.MAX_VALUE));
        }
        ByteWriter out = new ByteWriter(64);
        largest.write(out);

        assertThat(Vector.read(ByteReader.of(out.toByteArray())).entries()).hasSize(Sessions.MOST + 1);
        assertThat(out.position() + Frame.HEAD_BYTES).isLessThan(Kind.VECTOR.mostBytes());

        largest.raise(A, new Known(1, 1));
        largest.raise(B, new Known(1, 1));
        out.clear();
        largest.write(out);

        assertThatThrownBy(() -> Vector.read(ByteReader.of(out.toByteArray())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("a vector of");
    }

    @Test
    void raise_toLess_changesNothing() {
        Vector vector = vector(5, 1);

        vector.raise(A, new Known(4, 1));

        assertThat(vector.of(A)).isEqualTo(new Known(5, 1));
    }

    @Test
    void meet_ofTwoVectors_isTheSmallerOfEach() {
        Vector left = vector(5, 0);
        left.raise(B, new Known(3, 0));

        Vector meet = left.meet(vector(2, 7));

        assertThat(meet.of(A)).isEqualTo(new Known(2, 0));
        assertThat(meet.of(B)).isEqualTo(Known.NOTHING);
    }

    @Test
    void hash_ofDifferentVectors_differs() {
        assertThat(vector(5, 1).hash()).isNotEqualTo(vector(5, 2).hash());
        assertThat(vector(5, 1).hash()).isNotEqualTo(vector(6, 1).hash());
    }

    private static Vector vector(long frames, long news) {
        Vector vector = new Vector();
        vector.raise(A, new Known(frames, news));
        return vector;
    }
}
