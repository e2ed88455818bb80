package io.tallis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class CellCodecTest {
    private static final byte[] KEY = "likes".getBytes(StandardCharsets.US_ASCII);

    private final Replicas replicas = replicas(1, 2, 3, 4, 5);
    private final CellCodec codec = new CellCodec(replicas);

    @Test
    void decode_ofWhatWasEncoded_isTheSameCounter() throws Exception {
        Property.forAll(gen -> {
            Cell counter = CellGen.cell(gen, CounterGen.type(gen));
            int owner = gen.chance(50) ? Replicas.OWN : CellCodec.NO_OWNER;
            byte[] bytes = encoded(codec, counter, owner);

            Cell decoded = new Cell();
            ByteReader in = ByteReader.of(bytes);
            codec.decode(in, counter.type(), owner, decoded);

            assertThat(in.remaining()).isZero();
            assertThat(decoded.sameAs(CellGen.withoutEmptyShards(counter))).isTrue();
        });
    }

    /// A cache of ids must not confuse them.
    @Test
    void decode_ofSimilarIds_distinguishesThem() throws Exception {
        Replicas alike = new Replicas(new ReplicaId(1, 7));
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        for (int i = 2; i < 10; i++) {
            counter.counts().put(counter.counts().append(alike.numberOf(new ReplicaId(i, 7))), Counter.P, 0, i);
        }
        byte[] bytes = encoded(new CellCodec(alike), counter, CellCodec.NO_OWNER);
        Replicas met = new Replicas(new ReplicaId(99, 7));

        Cell decoded = new Cell();
        new CellCodec(met).decode(ByteReader.of(bytes), counter.type(), CellCodec.NO_OWNER, decoded);

        for (int i = 2; i < 10; i++) {
            assertThat(decoded.counts().low(decoded.counts().find(met.numberOf(new ReplicaId(i, 7))), Counter.P))
                    .isEqualTo(i);
        }
    }

    @Test
    void skip_endsWhereDecodeEnds() {
        Property.forAll(gen -> {
            Cell counter = CellGen.cell(gen, CounterGen.type(gen));
            int owner = gen.chance(50) ? Replicas.OWN : CellCodec.NO_OWNER;
            ByteReader in = ByteReader.of(encoded(codec, counter, owner));

            codec.skip(in);

            assertThat(in.remaining()).isZero();
        });
    }

    @Test
    void equalCounters_ofProcessesThatNumberReplicasDifferently_areEqualBytes() {
        Property.forAll(gen -> {
            Cell counter = CellGen.cell(gen, CounterGen.type(gen));
            byte[] bytes = encoded(codec, counter, CellCodec.NO_OWNER);
            CellCodec elsewhere = new CellCodec(replicas(3, 5, 1, 4, 2));

            Cell decoded = new Cell();
            elsewhere.decode(ByteReader.of(bytes), counter.type(), CellCodec.NO_OWNER, decoded);

            assertThat(encoded(elsewhere, decoded, CellCodec.NO_OWNER)).isEqualTo(bytes);
        });
    }

    @Test
    void encode_ofOneIncrement_isTheseBytes() {
        Cell counter = new Cell();
        counter.add(Replicas.OWN, 300);
        ByteWriter out = new ByteWriter(64);

        codec.encodeKey(CounterType.PNCOUNT, KEY, 0, KEY.length, out);
        codec.encodeOnly(counter, Replicas.OWN, out);

        assertThat(HexFormat.of().formatHex(out.toByteArray())).isEqualTo("01056c696b6573" + "0211ac02");
    }

    @Test
    void encode_ofAResetByAnother_isTheseBytes() {
        Cell counter = new Cell();
        int shard = counter.counts().append(1);
        counter.counts().put(shard, Counter.P, 1, 5);
        counter.counts().put(shard, Counter.N, 0, 1);
        counter.counts().put(shard, Counter.RP, 0, 128);

        assertThat(HexFormat.of().formatHex(encoded(codec, counter, Replicas.OWN)))
                .isEqualTo("02" + "07" + "00000000000000020000000000000002" + "85808080808080808002" + "01" + "8001");
    }

    @Test
    void decodeKey_saysWhereTheKeyIs() throws Exception {
        ByteWriter out = new ByteWriter(8);
        out.i32(0);
        codec.encodeKey(CounterType.GCOUNT, KEY, 1, 3, out);
        ByteReader in = new ByteReader().on(out.array(), 4, out.position() - 4);

        assertThat(codec.decodeKey(in)).isEqualTo(CounterType.GCOUNT);
        assertThat(new String(in.array(), codec.keyOffset(), codec.keyLength(), StandardCharsets.US_ASCII))
                .isEqualTo("ike");
    }

    @Test
    void decode_ofAnyBytes_isRefusedOrIsWhatThoseBytesSay() {
        Property.forAll(gen -> {
            byte[] bytes = gen.chance(50) ? gen.bytes(64) : damaged(gen);
            Cell decoded = new Cell();
            ByteReader in = ByteReader.of(bytes);
            CounterType type = CounterGen.type(gen);
            try {
                new CellCodec(replicas(1)).decode(in, type, Replicas.OWN, decoded);
            } catch (MalformedException expected) {
                return;
            }
            assertThat(decoded.isWellFormed()).isTrue();
        });
    }

    @Test
    void decode_cutAnywhere_isRefused() {
        Property.forAll(gen -> {
            Cell counter = CellGen.withoutEmptyShards(CellGen.cell(gen, CounterGen.type(gen)));
            byte[] bytes = encoded(codec, counter, CellCodec.NO_OWNER);
            int length = gen.between(0, bytes.length - 1);
            ByteReader in = new ByteReader().on(bytes, 0, length);

            assertThatThrownBy(() -> codec.decode(in, counter.type(), CellCodec.NO_OWNER, new Cell()))
                    .isInstanceOf(MalformedException.class);
        });
    }

    @Test
    void decode_ofOneReplicaTwice_isRefused() {
        String shard = "01" + "00000000000000020000000000000002" + "05";
        byte[] bytes = HexFormat.of().parseHex("04" + shard + shard);

        assertThatThrownBy(
                        () -> codec.decode(ByteReader.of(bytes), CounterType.PNCOUNT, CellCodec.NO_OWNER, new Cell()))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("two shards");
    }

    @Test
    void decode_ofMoreResetThanCounted_isRefused() {
        byte[] bytes = HexFormat.of().parseHex("02" + "15" + "05" + "06");

        assertThatThrownBy(() -> codec.decode(ByteReader.of(bytes), CounterType.PNCOUNT, Replicas.OWN, new Cell()))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("contradicts itself");
    }

    @Test
    void varint_ofAnySize_comesBack() {
        Property.forAll(gen -> {
            long high = gen.chance(50) ? 0 : gen.anyLong();
            long low = gen.anyLong();
            ByteWriter out = new ByteWriter(1);
            out.varint(high, low);

            ByteReader in = ByteReader.of(out.toByteArray());

            assertThat(in.varint128()).isEqualTo(low);
            assertThat(in.high()).isEqualTo(high);
            assertThat(in.remaining()).isZero();
        });
    }

    @Test
    void varint_longerThanNeededOrTooLarge_isRefused() {
        for (String hex : new String[] {"8000", "ff".repeat(18) + "04", "80".repeat(19) + "01", "80"}) {
            ByteReader in = ByteReader.of(HexFormat.of().parseHex(hex));
            assertThatThrownBy(in::varint128).as(hex).isInstanceOf(MalformedException.class);
        }
    }

    private byte[] damaged(Gen gen) {
        Cell counter = CellGen.cell(gen, CounterGen.type(gen));
        byte[] bytes = encoded(codec, counter, Replicas.OWN);
        bytes[gen.between(0, bytes.length - 1)] ^= (byte) (1 << gen.between(0, 7));
        return bytes;
    }

    private static byte[] encoded(CellCodec codec, Cell counter, int owner) {
        ByteWriter out = new ByteWriter(1);
        codec.encode(counter, owner, out);
        return out.toByteArray();
    }

    private static Replicas replicas(int... ids) {
        Replicas replicas = new Replicas(new ReplicaId(ids[0], ids[0]));
        for (int id : ids) {
            replicas.numberOf(new ReplicaId(id, id));
        }
        return replicas;
    }
}
