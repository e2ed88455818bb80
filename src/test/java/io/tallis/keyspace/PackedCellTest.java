package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.CounterGen;
import io.tallis.testing.Property;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class PackedCellTest {
    @Test
    void read_ofWhatWasWritten_isTheSameCounter() {
        Property.forAll(gen -> {
            Cell counter = CellGen.cell(gen, CounterGen.type(gen));
            byte[] bytes = new byte[PackedCell.size(counter) + 7];

            int end = PackedCell.write(counter, bytes, 7);
            Cell read = new Cell();

            assertThat(end).isEqualTo(bytes.length);
            assertThat(PackedCell.read(read, counter.type(), bytes, 7)).isEqualTo(end);
            assertThat(PackedCell.skip(bytes, 7)).isEqualTo(end);
            assertThat(read.sameAs(counter)).isTrue();
        });
    }

    @Test
    void write_ofOneWritersSmallCounter_takesSevenBytes() {
        Cell counter = new Cell();
        counter.add(0, 258);
        byte[] bytes = new byte[PackedCell.size(counter)];

        PackedCell.write(counter, bytes, 0);

        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("02" + "00" + "01" + "02010000");
    }

    @Test
    void replicaNumbers_ofAnySize_comeBack() {
        Cell counter = new Cell();
        for (int number : new int[] {0, 127, 128, 16_383, 16_384, (1 << 24) - 1}) {
            counter.add(number, 1);
        }
        byte[] bytes = new byte[PackedCell.size(counter)];

        PackedCell.write(counter, bytes, 0);
        Cell read = new Cell();
        PackedCell.read(read, counter.type(), bytes, 0);

        assertThat(read.sameAs(counter)).isTrue();
    }
}
