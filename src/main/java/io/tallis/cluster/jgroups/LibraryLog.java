package io.tallis.cluster.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.runtime.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jspecify.annotations.Nullable;

/// What JGroups has to say, from warnings on, in our log.
///
/// It says some things once for each packet that it refuses, which anybody can send. So of each of its classes at
/// most [#MOST] lines are taken in a [#SPAN], no two of them alike; the others are counted, and told of with the next
/// line that is taken. What it says whenever nodes come and go is taken only when it goes on for a [#SPAN].
final class LibraryLog implements Log {
    static final int MOST = 5;
    static final Duration SPAN = Duration.ofMinutes(1);

    private static final String LEVEL = "warn";

    /// Said of several sockets whenever they are opened; once in a process is enough.
    private static final String SMALL_BUFFER = "JGRP000015";

    /// Seeds that lead nowhere are told of by [JGroupsTransport].
    private static final String UNRESOLVED = "unable to resolve the following hostnames";

    /// Messages of one who is no member yet, or any more; and for one whose address is not known yet.
    private static final Set<String> PASSING = Set.of("JGRP000011", "JGRP000032");

    private final Logger out;
    private final String speaker;
    private final Clock clock;
    private final AtomicBoolean toldOfBuffer;

    @GuardedBy("this")
    private long spanStart;

    @GuardedBy("this")
    private final Set<String> taken = new HashSet<>();

    @GuardedBy("this")
    private long leftOut;

    @GuardedBy("this")
    private long passingSince;

    @GuardedBy("this")
    private long passingLast;

    /// Those of one process share `toldOfBuffer`.
    LibraryLog(Logger out, String speaker, Clock clock, AtomicBoolean toldOfBuffer) {
        this.out = out;
        this.speaker = speaker;
        this.clock = clock;
        this.toldOfBuffer = toldOfBuffer;
        spanStart = clock.nanos();
        passingLast = spanStart - SPAN.toNanos();
    }

    record Factory(Clock clock, AtomicBoolean toldOfBuffer) implements CustomLogFactory {
        @Override
        public Log getLog(Class<?> speaker) {
            // People know the names of JGroups.
            boolean isOurs = speaker.getPackage().equals(LibraryLog.class.getPackage());
            return getLog((isOurs ? speaker.getSuperclass() : speaker).getSimpleName());
        }

        @Override
        public Log getLog(String speaker) {
            return new LibraryLog(System.getLogger(LibraryLog.class.getName()), speaker, clock, toldOfBuffer);
        }
    }

    /// A mistake in a peer's bytes or in the network, never in what was counted: no more than a warning.
    private void tell(String text, @Nullable Throwable cause) {
        if (text.startsWith(SMALL_BUFFER)) {
            tellOfBuffer(text);
            return;
        }
        if (text.startsWith(UNRESOLVED) || (PASSING.stream().anyMatch(text::startsWith) && !goesOn())) {
            return;
        }
        long before;
        synchronized (this) {
            if (clock.nanos() - spanStart >= SPAN.toNanos()) {
                spanStart = clock.nanos();
                taken.clear();
            }
            if (taken.size() == MOST || !taken.add(text)) {
                leftOut++;
                return;
            }
            before = leftOut;
            leftOut = 0;
        }
        String hint = hint(text);
        String reason = cause == null ? hint : hint + ": " + cause;
        String more = before == 0 ? "" : " (and " + before + " more before)";
        out.log(Level.WARNING, "JGroups " + speaker + ": " + text + reason + more);
    }

    private void tellOfBuffer(String text) {
        if (!toldOfBuffer.getAndSet(true)) {
            out.log(
                    Level.INFO,
                    "JGroups " + speaker + ": " + text + "; that is enough unless very many counters change each"
                            + " second: then raise net.core.rmem_max and wmem_max");
        }
    }

    /// Whether what passes by itself has been said for long, without a pause as long.
    private synchronized boolean goesOn() {
        long now = clock.nanos();
        if (now - passingLast >= SPAN.toNanos()) {
            passingSince = now;
        }
        passingLast = now;
        return now - passingSince >= SPAN.toNanos();
    }

    private String hint(String text) {
        boolean isRefused = speaker.equals("SYM_ENCRYPT") && !text.contains("InterruptedException");
        return isRefused ? " (its sender has another cluster-key-file, or none)" : "";
    }

    private void tellFormatted(String format, Object[] arguments) {
        tell(arguments.length == 0 ? format : format.formatted(arguments), null);
    }

    @Override
    public boolean isFatalEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isInfoEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public void fatal(String text) {
        tell(text, null);
    }

    @Override
    public void fatal(String format, Object... arguments) {
        tellFormatted(format, arguments);
    }

    @Override
    public void fatal(String text, Throwable cause) {
        tell(text, cause);
    }

    @Override
    public void error(String text) {
        tell(text, null);
    }

    @Override
    public void error(String format, Object... arguments) {
        tellFormatted(format, arguments);
    }

    @Override
    public void error(String text, Throwable cause) {
        tell(text, cause);
    }

    @Override
    public void warn(String text) {
        tell(text, null);
    }

    @Override
    public void warn(String format, Object... arguments) {
        tellFormatted(format, arguments);
    }

    @Override
    public void warn(String text, Throwable cause) {
        tell(text, cause);
    }

    @Override
    public void info(String text) {}

    @Override
    public void info(String format, Object... arguments) {}

    @Override
    public void debug(String text) {}

    @Override
    public void debug(String format, Object... arguments) {}

    @Override
    public void debug(String text, Throwable cause) {}

    @Override
    public void trace(Object thing) {}

    @Override
    public void trace(String text) {}

    @Override
    public void trace(String format, Object... arguments) {}

    @Override
    public void trace(String text, Throwable cause) {}

    /// The level is fixed.
    @Override
    public void setLevel(String level) {}

    @Override
    public String getLevel() {
        return LEVEL;
    }
}
