package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ChronicleTest {
    private long millis;
    private final List<Event> logged = new ArrayList<>();
    private final Chronicle north = chronicle(1, "north");
    private final Chronicle south = chronicle(2, "south");

    private Chronicle chronicle(int number, String name) {
        return new Chronicle(
                new Self(NodeGen.uuid(number), name, "h:1"),
                NodeGen.session(number),
                () -> millis,
                (_, event) -> logged.add(event));
    }

    private static void hear(Chronicle listener, int from, byte[] body) throws MalformedException {
        listener.onEvents(NodeGen.session(from), ByteReader.of(body));
        listener.publish();
    }

    private static List<String> texts(Chronicle chronicle) {
        chronicle.publish();
        return chronicle.newest(Chronicle.MOST_EVENTS).stream().map(Event::text).toList();
    }

    @Test
    void event_ofThisNode_isKeptAndLogged() {
        millis = 17;

        north.record("began");

        Event expected = new Event(17, NodeGen.uuid(1), "north", NodeGen.session(1), 1, "began");
        assertThat(logged).containsExactly(expected);
        north.publish();
        assertThat(north.newest(10)).containsExactly(expected);
    }

    @Test
    void event_ofAPeer_isKeptAndNotLogged() throws MalformedException {
        south.record("began");
        logged.clear();

        hear(north, 2, south.takeUnsent());

        assertThat(north.newest(10)).extracting(Event::name).containsExactly("south");
        assertThat(logged).isEmpty();
    }

    @Test
    void takeUnsent_afterAnEvent_returnsItOnce() throws MalformedException {
        north.record("one");
        hear(south, 1, north.takeUnsent());
        boolean afterwards = north.hasUnsent();
        north.record("two");

        Chronicle listener = chronicle(3, "east");
        hear(listener, 1, north.takeUnsent());

        assertThat(afterwards).isFalse();
        assertThat(texts(listener)).containsExactly("two");
    }

    @Test
    void events_receivedAgain_areKeptOnce() throws MalformedException {
        north.record("one");
        hear(south, 1, north.takeUnsent());

        hear(south, 1, north.recent());

        assertThat(texts(south)).containsExactly("one");
    }

    @Test
    void recent_ofManyEvents_hasTheNewest() throws MalformedException {
        for (int i = 1; i <= Chronicle.MOST_RECENT + 1; i++) {
            millis = i;
            north.record("event " + i);
        }

        hear(south, 1, north.recent());

        assertThat(texts(south))
                .hasSize(Chronicle.MOST_RECENT)
                .startsWith("event 2")
                .endsWith("event 65");
    }

    @Test
    void events_areInOrderOfTime() throws MalformedException {
        millis = 20;
        north.record("second");
        millis = 10;
        south.record("first");

        hear(north, 2, south.takeUnsent());

        assertThat(texts(north)).containsExactly("first", "second");
    }

    @Test
    void events_beyondTheBound_areDroppedFromTheOldest() {
        for (int i = 1; i <= Chronicle.MOST_EVENTS + 5; i++) {
            millis = i;
            north.record("event " + i);
        }

        assertThat(texts(north)).hasSize(Chronicle.MOST_EVENTS).startsWith("event 6");
    }

    @Test
    void newest_ofManyEvents_returnsAsManyAsAskedFor() {
        millis = 1;
        north.record("one");
        millis = 2;
        north.record("two");
        north.publish();

        assertThat(north.newest(1)).extracting(Event::text).containsExactly("two");
    }

    @Test
    void text_thatIsLongOrHasLineBreaks_isCutAndCleaned() {
        north.record("a\nb" + "c".repeat(Event.MOST_CHARS));

        assertThat(logged.getFirst().text()).startsWith("a?bc").hasSize(Event.MOST_CHARS);
    }

    @Test
    void events_inAnyOrder_makeEqualChronicles() {
        Property.forAll(gen -> {
            List<byte[]> bodies = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                millis = gen.between(1L, 3L);
                south.record("event " + i);
                bodies.add(gen.chance(50) ? south.takeUnsent() : south.recent());
            }
            List<byte[]> shuffled = new ArrayList<>(bodies);
            Collections.shuffle(shuffled, new Random(gen.anyLong()));
            Chronicle one = chronicle(3, "east");
            Chronicle other = chronicle(4, "west");

            for (int i = 0; i < bodies.size(); i++) {
                hear(one, 2, bodies.get(i));
                hear(other, 2, shuffled.get(i));
            }

            assertThat(one.newest(Chronicle.MOST_EVENTS)).isEqualTo(other.newest(Chronicle.MOST_EVENTS));
        });
    }

    @Test
    void body_cutWithinAnEvent_isMalformedAndChangesNothing() {
        north.record("one");
        byte[] body = north.takeUnsent();
        ByteReader cut = ByteReader.of(Arrays.copyOf(body, body.length - 1));

        assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> south.onEvents(NodeGen.session(1), cut));
        assertThat(texts(south)).isEmpty();
    }

    @Test
    void body_withAnyByteChanged_isReadOrMalformed() {
        Property.forAll(gen -> {
            north.record("one");
            byte[] body = north.recent();
            body[gen.between(0, body.length - 1)] = (byte) gen.between(0, 255);

            try {
                hear(south, 1, body);
                assertThat(texts(south)).hasSizeLessThanOrEqualTo(Chronicle.MOST_EVENTS);
            } catch (MalformedException _) {
                // The other of the two outcomes.
            }
        });
    }

    @Test
    void event_ofAnImpossibleTime_isMalformed() {
        ByteWriter out = new ByteWriter(64);
        out.u8(1);
        out.i64(1);
        out.i64(1);
        Texts.write("north", out);
        out.varint(-1);
        out.varint(1);
        Texts.write("text", out);

        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> south.onEvents(NodeGen.session(1), ByteReader.of(out.toByteArray())))
                .withMessageContaining("time");
    }
}
