package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallis.cluster.records.NodeRecord.Session;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class NodeRecordCodecTest {
    @Test
    void records_writtenAndRead_areTheSame() {
        Property.forAll(gen -> {
            List<NodeRecord> records = new NodeGen(gen).anyRecords(5);

            byte[] body = NodeRecordCodec.pieces(records, Integer.MAX_VALUE).getFirst();

            assertThat(NodeRecordCodec.read(ByteReader.of(body))).isEqualTo(records);
        });
    }

    @Test
    void records_inSeveralBodies_areBoundedAndComplete() throws MalformedException {
        List<NodeRecord> records = IntStream.rangeClosed(1, 200)
                .mapToObj(node ->
                        NodeRecord.of(NodeGen.uuid(node), NodeGen.life(1, node, NodeState.READY, "n".repeat(100))))
                .toList();

        List<byte[]> pieces = NodeRecordCodec.pieces(records, 2000);

        List<NodeRecord> read = new ArrayList<>();
        for (byte[] piece : pieces) {
            assertThat(piece).hasSizeLessThanOrEqualTo(2000);
            read.addAll(NodeRecordCodec.read(ByteReader.of(piece)));
        }
        assertThat(read).isEqualTo(records);
    }

    @Test
    void record_withMoreSessionsThanABodyHolds_isWrittenInParts() throws MalformedException {
        int most = NodeRecord.MOST_SESSIONS;
        List<Session> sessions = IntStream.rangeClosed(1, most)
                .mapToObj(version -> new Session(version, NodeGen.session(version)))
                .toList();
        NodeRecord record =
                new NodeRecord(NodeGen.uuid(1), NodeGen.life(most, most, NodeState.READY, "a"), sessions, 0);

        List<byte[]> pieces = NodeRecordCodec.pieces(List.of(record), 60_000);

        List<NodeRecord> parts = new ArrayList<>();
        for (byte[] piece : pieces) {
            assertThat(piece).hasSizeLessThanOrEqualTo(60_000);
            parts.addAll(NodeRecordCodec.read(ByteReader.of(piece)));
        }
        assertThat(pieces).hasSizeGreaterThan(1);
        assertThat(parts.stream().reduce(NodeRecord::merge)).contains(record);
    }

    @Test
    void body_cutAnywhereWithinARecord_isMalformed() {
        byte[] body = NodeRecordCodec.one(NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 1, NodeState.READY, "a")), 64);

        for (int length = 2; length < body.length; length++) {
            ByteReader cut = ByteReader.of(Arrays.copyOf(body, length));

            assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> NodeRecordCodec.read(cut));
        }
    }

    @Test
    void body_withAnyByteChanged_isReadOrMalformed() {
        Property.forAll(gen -> {
            byte[] body = NodeRecordCodec.one(new NodeGen(gen).anyRecord(), 64);
            body[gen.between(0, body.length - 1)] = (byte) gen.between(0, 255);

            try {
                NodeRecordCodec.read(ByteReader.of(body))
                        .forEach(record -> assertThat(record.sessions().getLast())
                                .isEqualTo(record.newest().session()));
            } catch (MalformedException _) {
                // The other of the two outcomes.
            }
        });
    }

    @Test
    void body_ofAnotherForm_isMalformed() {
        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> NodeRecordCodec.read(ByteReader.of(new byte[] {2})))
                .withMessage("node records of form 2, expected 1");
    }

    @Test
    void record_withASessionBeyondItsNewest_isMalformed() {
        NodeRecord lie = new NodeRecord(
                NodeGen.uuid(1),
                NodeGen.life(3, 1, NodeState.READY, "a"),
                List.of(new Session(4, NodeGen.session(2))),
                0);

        ByteReader body = ByteReader.of(NodeRecordCodec.one(lie, 64));

        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> NodeRecordCodec.read(body))
                .withMessageContaining("after the newest one");
    }

    @Test
    void record_withAVersionTooLarge_isMalformed() {
        ByteReader body = ByteReader.of(
                NodeRecordCodec.one(NodeRecord.of(NodeGen.uuid(1), NodeGen.life(-1, 1, NodeState.READY, "a")), 64));

        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> NodeRecordCodec.read(body))
                .withMessageContaining("version 18446744073709551615");
    }

    @Test
    void text_withALineBreak_isMalformed() {
        ByteWriter out = new ByteWriter(16);
        Texts.write("two\nlines", out);

        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> Texts.read(100, ByteReader.of(out.toByteArray())));
    }

    @Test
    void text_thatIsNotUtf8_isMalformed() {
        byte[] bytes = {1, (byte) 0xFF};

        assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> Texts.read(100, ByteReader.of(bytes)));
    }

    @Test
    void text_onceCleaned_isReadAsWritten() {
        Property.forAll(gen -> {
            StringBuilder any = new StringBuilder();
            for (int count = gen.between(0, 30); count > 0; count--) {
                any.append((char) gen.between(0, Character.MAX_VALUE));
            }
            String clean = Texts.clean(any.toString(), 20);
            ByteWriter out = new ByteWriter(16);

            Texts.write(clean, out);

            assertThat(Texts.read(20, ByteReader.of(out.toByteArray()))).isEqualTo(clean);
        });
    }
}
