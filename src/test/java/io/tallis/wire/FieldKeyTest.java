package io.tallis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Property;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class FieldKeyTest {
    @Test
    void key_ofANameAndAField_saysWhereTheNameIs() {
        Property.forAll(gen -> {
            byte[] name = new byte[gen.pick(1, 2, 127, 128, 16_383, 16_384, 60_000)];
            Arrays.fill(name, (byte) gen.between(-128, 127));
            byte[] key = new byte[FieldKey.prefixLength(name.length) + gen.between(0, 5)];

            int prefix = FieldKey.writePrefix(name, 0, name.length, key);

            assertThat(prefix).isEqualTo(FieldKey.prefixLength(name.length));
            assertThat(FieldKey.isWellFormed(key, 0, key.length)).isTrue();
            assertThat(FieldKey.nameLength(key, 0)).isEqualTo(name.length);
            assertThat(FieldKey.nameOffset(key, 0)).isEqualTo(prefix - name.length);
        });
    }

    @Test
    void key_thatIsCutOrNamesNothing_isNotWellFormed() {
        for (String hex :
                new String[] {"", "00", "0061", "01", "0261", "8000", "810061", "80", "ffffffff0f61", "ffff"}) {
            byte[] bytes = HexFormat.of().parseHex("61" + hex);

            assertThat(FieldKey.isWellFormed(bytes, 1, bytes.length - 1))
                    .as(hex)
                    .isFalse();
        }
    }

    @Test
    void decodeKey_ofAFieldWithoutAName_isRefused() {
        CellCodec codec = new CellCodec(new Replicas(new ReplicaId(1, 1)));
        ByteWriter out = new ByteWriter(8);
        codec.encodeKey(CounterType.FIELD, new byte[] {5, 'a', 'b'}, 0, 3, out);

        assertThatThrownBy(() -> codec.decodeKey(ByteReader.of(out.toByteArray())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("key of a field");
    }

    @Test
    void decodeKey_ofAnUnknownType_isRefused() {
        CellCodec codec = new CellCodec(new Replicas(new ReplicaId(1, 1)));
        int unknown = CounterType.values().length;

        assertThatThrownBy(() -> codec.decodeKey(ByteReader.of(new byte[] {(byte) unknown, 1, 'a', 0})))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("type of counter " + unknown);
    }
}
