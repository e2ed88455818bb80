package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LibraryLogTest {
    private static final long SPAN_SECONDS = LibraryLog.SPAN.toSeconds();

    private final List<String> lines = new ArrayList<>();
    private final FakeClock clock = new FakeClock();
    private final LibraryLog log = new LibraryLog(new Lines(), "GMS", clock, new AtomicBoolean());

    @Test
    void warning_isLogged() {
        log.warn("%s left", "a");

        assertThat(lines).containsExactly("JGroups GMS: a left");
    }

    @Test
    void text_withoutArguments_mayHoldPercentSigns() {
        log.error("100%");

        assertThat(lines).containsExactly("JGroups GMS: 100%");
    }

    @Test
    void infoAndBelow_areNotLogged() {
        log.info("%s", "x");
        log.debug("x");
        log.trace("x");

        assertThat(lines).isEmpty();
    }

    @Test
    void flood_isCutAndCounted() {
        IntStream.range(0, 1000).forEach(i -> log.error("bad packet %d", i));
        assertThat(lines).hasSize(LibraryLog.MOST);

        clock.advance(LibraryLog.SPAN);
        log.error("bad packet", new IllegalStateException("why"));

        assertThat(lines.getLast())
                .isEqualTo("JGroups GMS: bad packet: java.lang.IllegalStateException: why (and "
                        + (1000 - LibraryLog.MOST) + " more before)");
    }

    /// So that one node in a loop does not hide another.
    @Test
    void sameText_isLoggedOnceInASpan() {
        for (int i = 0; i < 1000; i++) {
            log.warn("bad packet of a");
        }
        log.warn("bad packet of b");

        assertThat(lines)
                .containsExactly("JGroups GMS: bad packet of a", "JGroups GMS: bad packet of b (and 999 more before)");
    }

    /// Each attempt to connect opens sockets, of new protocols with new logs.
    @Test
    void smallBuffer_isLoggedOnceInAProcess() {
        AtomicBoolean logged = new AtomicBoolean();
        String text = "JGRP000015: the receive buffer of socket X was set to 8MB, but the OS only allocated 212KB";

        new LibraryLog(new Lines(), "UDP", clock, logged).warn(text);
        new LibraryLog(new Lines(), "UDP", clock, logged).warn(text);

        assertThat(lines).singleElement().asString().contains("212KB", "net.core.rmem_max");
    }

    @Test
    void messageOfANonMember_isLoggedWhenItGoesOnForASpan() {
        String text = "JGRP000011: a: dropped message from non-member b (view=[a|1])";

        for (int seconds = 0; seconds < SPAN_SECONDS; seconds++) {
            log.warn(text);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(lines).isEmpty();

        log.warn(text);
        assertThat(lines).containsExactly("JGroups GMS: " + text);
    }

    @Test
    void messageOfANonMember_afterAPause_startsAnew() {
        String text = "JGRP000032: a: no physical address for b, dropping message";

        for (int i = 0; i < 10; i++) {
            log.warn(text);
            clock.advance(LibraryLog.SPAN);
        }

        assertThat(lines).isEmpty();
    }

    private final class Lines implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
            lines.add(text);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... arguments) {
            lines.add(format);
        }
    }
}
