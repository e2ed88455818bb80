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

/// An adapter that writes warnings and errors of JGroups into our log, and keeps a flood of them out.
///
/// JGroups logs some of them for every packet that it refuses. So of each of its classes at most [#MOST] different
/// lines are logged in a [#SPAN]; the others are counted, and the count is added to the next line. What it says when
/// nodes come and go is logged only if it goes on for a [#SPAN].
final class LibraryLog implements Log {
    static final int MOST = 5;
    static final Duration SPAN = Duration.ofMinutes(1);

    private static final String LEVEL = "warn";

    /// Logged for each socket that is opened; once in a process is enough.
    private static final String SMALL_BUFFER = "JGRP000015";

    /// [JGroupsTransport] warns about seeds that cannot be resolved.
    private static final String UNRESOLVED = "unable to resolve the following hostnames";

    /// Messages from a node that is not a member yet or any more, and to one whose address is not known yet.
    private static final Set<String> TRANSIENT = Set.of("JGRP000011", "JGRP000032");

    private final Logger out;
    private final String source;
    private final Clock clock;
    private final AtomicBoolean bufferLogged;

    @GuardedBy("this")
    private long spanStart;

    @GuardedBy("this")
    private final Set<String> logged = new HashSet<>();

    @GuardedBy("this")
    private long suppressed;

    @GuardedBy("this")
    private long transientSince;

    @GuardedBy("this")
    private long transientLast;

    /// All of one process share `bufferLogged`.
    LibraryLog(Logger out, String source, Clock clock, AtomicBoolean bufferLogged) {
        this.out = out;
        this.source = source;
        this.clock = clock;
        this.bufferLogged = bufferLogged;
        spanStart = clock.nanos();
        transientLast = spanStart - SPAN.toNanos();
    }

    record Factory(Clock clock, AtomicBoolean bufferLogged) implements CustomLogFactory {
        @Override
        public Log getLog(Class<?> source) {
            // Operators know the names of JGroups.
            boolean isOurs = source.getPackage().equals(LibraryLog.class.getPackage());
            return getLog((isOurs ? source.getSuperclass() : source).getSimpleName());
        }

        @Override
        public Log getLog(String source) {
            return new LibraryLog(System.getLogger(LibraryLog.class.getName()), source, clock, bufferLogged);
        }
    }

    /// JGroups' errors are about peers and the network, never about counters: warnings to us.
    private void log(String text, @Nullable Throwable cause) {
        if (text.startsWith(SMALL_BUFFER)) {
            logBuffer(text);
            return;
        }
        if (text.startsWith(UNRESOLVED) || (TRANSIENT.stream().anyMatch(text::startsWith) && !persists())) {
            return;
        }
        long before;
        synchronized (this) {
            if (clock.nanos() - spanStart >= SPAN.toNanos()) {
                spanStart = clock.nanos();
                logged.clear();
            }
            if (logged.size() == MOST || !logged.add(text)) {
                suppressed++;
                return;
            }
            before = suppressed;
            suppressed = 0;
        }
        String reason = cause == null ? "" : ": " + cause;
        String more = before == 0 ? "" : " (and " + before + " more before)";
        out.log(Level.WARNING, "JGroups " + source + ": " + text + reason + more);
    }

    private void logBuffer(String text) {
        if (!bufferLogged.getAndSet(true)) {
            out.log(
                    Level.INFO,
                    "JGroups " + source + ": " + text + "; that is enough unless very many counters change each"
                            + " second: then raise net.core.rmem_max and wmem_max");
        }
    }

    /// Whether transient warnings have gone on for a span without a pause as long.
    private synchronized boolean persists() {
        long now = clock.nanos();
        if (now - transientLast >= SPAN.toNanos()) {
            transientSince = now;
        }
        transientLast = now;
        return now - transientSince >= SPAN.toNanos();
    }

    private void logFormatted(String format, Object[] arguments) {
        log(arguments.length == 0 ? format : format.formatted(arguments), null);
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
        log(text, null);
    }

    @Override
    public void fatal(String format, Object... arguments) {
        logFormatted(format, arguments);
    }

    @Override
    public void fatal(String text, Throwable cause) {
        log(text, cause);
    }

    @Override
    public void error(String text) {
        log(text, null);
    }

    @Override
    public void error(String format, Object... arguments) {
        logFormatted(format, arguments);
    }

    @Override
    public void error(String text, Throwable cause) {
        log(text, cause);
    }

    @Override
    public void warn(String text) {
        log(text, null);
    }

    @Override
    public void warn(String format, Object... arguments) {
        logFormatted(format, arguments);
    }

    @Override
    public void warn(String text, Throwable cause) {
        log(text, cause);
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
