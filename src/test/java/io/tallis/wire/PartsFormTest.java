package io.tallis.wire;

import static io.tallis.crdt.CounterType.PNCOUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PartsFormTest {
    private static final int BEFORE = 3;

    /// From 2020 on deadlines take five bytes; in 2054 that ends.
    private static final long YEAR_2020 = 1_577_836_800_000L;

    private static final long YEAR_2054 = YEAR_2020 + (1L << 40);

    @Test
    void read_ofWhatWasWritten_isTheSame() {
        Property.forAll(gen -> {
            Cell cell = cellWithParts(gen);
            byte[] bytes = written(cell);

            Cell read = new Cell().clear(cell.type());
            int end = PartsForm.read(bytes, BEFORE, bytes.length, read);

            assertThat(end).isEqualTo(bytes.length);
            assertThat(PartsForm.skip(bytes, BEFORE, bytes.length)).isEqualTo(end);
            assertThat(read.sameAs(cell)).isTrue();
            assertThat(CellGen.show(read)).isEqualTo(CellGen.show(cell));
        });
    }

    @Test
    void read_cutAnywhere_isRefused() {
        Property.forAll(gen -> {
            byte[] bytes = written(cellWithParts(gen));
            for (int end = BEFORE; end < bytes.length; end++) {
                byte[] cut = Arrays.copyOf(bytes, end);

                assertThatThrownBy(() -> PartsForm.read(cut, BEFORE, cut.length, new Cell()))
                        .isInstanceOf(MalformedException.class);
                assertThatThrownBy(() -> PartsForm.skip(cut, BEFORE, cut.length))
                        .isInstanceOf(MalformedException.class);
            }
        });
    }

    /// One content has one form (I5).
    @Test
    void read_ofAnyFlippedBit_isRefusedOrIsWhatThoseBytesSay() {
        Property.forAll(gen -> {
            byte[] bytes = written(cellWithParts(gen));
            for (int bit = BEFORE * Byte.SIZE; bit < bytes.length * Byte.SIZE; bit++) {
                byte[] flipped = bytes.clone();
                flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);

                assertRefusedOrCanonical(flipped);
            }
        });
    }

    @Test
    void read_ofAnyBytes_isRefusedOrIsWhatThoseBytesSay() {
        Property.forAll(gen -> {
            byte[] bytes = new byte[BEFORE + 40];
            byte[] any = gen.bytes(40);
            System.arraycopy(any, 0, bytes, BEFORE, any.length);

            assertRefusedOrCanonical(bytes);
        });
    }

    private static void assertRefusedOrCanonical(byte[] bytes) {
        Cell read = new Cell();
        int end;
        try {
            end = PartsForm.read(bytes, BEFORE, bytes.length, read);
        } catch (MalformedException expected) {
            return;
        }
        assertThat(written(read)).isEqualTo(Arrays.copyOf(bytes, end));
    }

    @Test
    void write_ofADeadline_takesEightBytes() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 0x01_0203_0405L, true);

        assertThat(hex(cell)).isEqualTo("02" + "06" + "01" + "0504030201");
    }

    @Test
    void write_ofATombstone_isTheseBytes() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 5, false);

        assertThat(hex(cell)).isEqualTo("02" + "06" + "09" + "0500000000");
    }

    @Test
    void write_ofAShortenedLifeThatBeganAgain_isTheseBytes() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 9, true);
        cell.life().beginAgain();
        cell.life().expireAt(YEAR_2020 + 7, true);
        cell.life().expireAt(YEAR_2020 + 6, true);

        assertThat(hex(cell)).isEqualTo("02" + "11" + "35" + "0600000000" + "01" + "02" + "09e8665e6f010000" + "01");
    }

    @Test
    void write_ofAnExtendedLife_hasItsFirstDeadlineToo() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 5, true);
        cell.life().expireAt(YEAR_2020 + 5 + 0x81, true);

        assertThat(hex(cell)).isEqualTo("02" + "08" + "21" + "8600000000" + "8301");

        cell.life().persist();

        assertThat(hex(cell)).isEqualTo("02" + "0c" + "2c" + "00" + "02" + "faafe48c8ad2ffff7f");
    }

    @Test
    void write_ofALifeThatHasOutlivedAnother_saysWhich() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 5, true);
        assertThat(cell.life().outlive(7, 3)).isTrue();

        assertThat(hex(cell)).isEqualTo("02" + "08" + "01" + "0500000000" + "07" + "03");
    }

    @Test
    void write_ofAnEndedCell_saysSo() {
        Cell cell = new Cell();
        cell.life().expireAt(YEAR_2020 + 5, true);
        cell.end();

        assertThat(hex(cell)).isEqualTo("02" + "06" + "81" + "0500000000");
    }

    @Test
    void write_ofADistantDeadline_takesThreeMore() {
        assertThat(hex(deadline(Life.NEVER - 1))).isEqualTo("02" + "09" + "03" + "feffffffffffff7f");
        assertThat(hex(deadline(YEAR_2054))).isEqualTo("02" + "09" + "03" + "00e8665e6f020000");
        assertThat(hex(deadline(YEAR_2054 - 1))).isEqualTo("02" + "06" + "01" + "ffffffffff");
        assertThat(hex(deadline(YEAR_2020))).isEqualTo("02" + "06" + "01" + "0000000000");
        assertThat(hex(deadline(YEAR_2020 - 1))).isEqualTo("02" + "09" + "03" + "ffe7665e6f010000");
    }

    private static Cell deadline(long epochMillis) {
        Cell cell = new Cell();
        cell.life().expireAt(epochMillis, true);
        return cell;
    }

    @Test
    void write_ofARegister_isTheseBytes() {
        Cell cell = new Cell();
        cell.assign(-2, 0x0102, 0xABCD);

        assertThat(hex(cell)).isEqualTo("04" + "11" + "000000000102abcd" + "01" + "7ffffffffffffffe");
    }

    @Test
    void write_ofAResetRegister_isTheseBytes() {
        Cell cell = new Cell();
        cell.assign(-2, 0x0102, 0xABCD);
        cell.reset();

        assertThat(hex(cell)).isEqualTo("04" + "09" + "000000000102abcd" + "ff");
    }

    @Test
    void write_ofTextWithADeadlineAndAnUnknownPart_isTheseBytes() {
        Cell cell = new Cell();
        byte[] text = "ab".getBytes(StandardCharsets.US_ASCII);
        cell.assign(text, 0, 2, 0x0102, 0xABCD);
        cell.life().expireAt(YEAR_2020 + 5, true);
        cell.parts().put(127, text, 0, 1);

        assertThat(hex(cell))
                .isEqualTo("03" + "06" + "01" + "0500000000" + "05" + "0b" + "000000000102abcd" + "02" + "6162" + "fe"
                        + "01" + "61");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000", // kind 0
                "0200", // a life without flags
                "020100", // neither deadline nor number nor horizon
                "020120", // an unknown flag
                "020110", // a horizon without its bytes
                "020601" + "05000000", // cut
                "020701" + "0500000000" + "07", // outlived, without a version
                "020801" + "0500000000" + "0700", // outlived, and that had no version
                "020901" + "0500000000" + "0703" + "00", // longer than its flags say
                "020903" + "05e8665e6f010000", // wide, and narrow would do
                "020904" + "0500000000000000", // counted, with bytes that belong to nothing
                "020805" + "0500000000" + "00" + "01", // counted, as without
                "020805" + "0500000000" + "8000", // a number that is longer than needed
                "020e11" + "0500000000" + "05e8665e6f010000", // a horizon that is the deadline
                "020e11" + "0500000000" + "04e8665e6f010000", // a horizon before the deadline
                "020e11" + "0500000000" + "ffffffffffffff7f", // forever, written out
                "0301" + "08" + "0300", // two lives
                "0500" + "0300", // kinds in descending order
                "048000", // a length that is longer than needed
                "04ffffffff7f", // longer than all
            })
    void read_ofAnotherForm_isRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> PartsForm.read(bytes, 0, bytes.length, new Cell()))
                .isInstanceOf(MalformedException.class);
    }

    /// The codec checks what the forms of parts leave open.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0408" + "0000000000000001", // a register without a state
                "0409" + "0000000000000001" + "00", // an unknown state
                "0409" + "0000000000000001" + "01", // a number without its bytes
                "040a" + "0000000000000001" + "ff" + "00", // a reset with bytes
            })
    void decode_ofAnUnknownRegister_isRefused(String parts) {
        byte[] bytes = HexFormat.of().parseHex("01" + parts);
        CellCodec codec = new CellCodec(new Replicas(new ReplicaId(1, 1)));

        assertThatThrownBy(() -> codec.decode(ByteReader.of(bytes), PNCOUNT, CellCodec.NO_OWNER, new Cell()))
                .isInstanceOf(MalformedException.class);
    }

    private static Cell cellWithParts(Gen gen) {
        Cell cell = CellGen.cell(gen, PNCOUNT);
        cell.counts().clear(PNCOUNT);
        if (cell.isPlain()) {
            cell.life().expireAt(gen.anyLong() & Long.MAX_VALUE - 1, gen.chance(50));
        }
        return cell;
    }

    private static byte[] written(Cell cell) {
        byte[] bytes = new byte[BEFORE + PartsForm.size(cell)];
        assertThat(PartsForm.write(cell, bytes, BEFORE)).isEqualTo(bytes.length);
        return bytes;
    }

    private static String hex(Cell cell) {
        byte[] bytes = written(cell);
        return HexFormat.of().formatHex(bytes, BEFORE, bytes.length);
    }
}
