package io.tallis.server;

import io.tallis.http.Health;
import io.tallis.resp.socket.NotifySocket;
import io.tallis.runtime.Background;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The service manager that started the process: systemd, or another with its protocol `sd_notify`. It gets to know
/// when the node serves, what it does until then, that it stops, and as long as the event loops answer, that they do.
///
/// Without one, nothing is sent.
public final class ServiceManager {
    private static final Logger LOG = System.getLogger(ServiceManager.class.getName());
    private static final Duration STATUS_PERIOD = Duration.ofSeconds(1);

    /// How often the event loops are asked in the time that the service manager waits. It counts from the last answer,
    /// so a hang is tolerated for that time less one pause between questions.
    private static final int QUESTIONS_PER_WATCHDOG = 6;

    private final @Nullable NotifySocket socket;
    private final Duration watchdog;
    private volatile boolean warned;
    private volatile boolean ready;
    private volatile boolean loopsAnswered = true;
    private String status = "";

    private ServiceManager(@Nullable NotifySocket socket, Duration watchdog) {
        this.socket = socket;
        this.watchdog = watchdog;
    }

    /// The service manager that these environment variables of the process name.
    public static ServiceManager of(Map<String, String> environment) {
        String path = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (path.isEmpty()) {
            return new ServiceManager(null, Duration.ZERO);
        }
        try {
            return new ServiceManager(NotifySocket.to(path), watchdog(environment));
        } catch (IOException impossible) {
            LOG.log(Level.WARNING, "Cannot notify the service manager at " + path + ": " + impossible.getMessage());
            return new ServiceManager(null, Duration.ZERO);
        }
    }

    /// How long the service manager waits for a sign of life; zero is for ever.
    private static Duration watchdog(Map<String, String> environment) {
        String micros = environment.getOrDefault("WATCHDOG_USEC", "0");
        String process = environment.getOrDefault("WATCHDOG_PID", "");
        boolean isMeant = process.isEmpty()
                || process.equals(Long.toString(ProcessHandle.current().pid()));
        try {
            return isMeant ? Duration.ofNanos(Math.multiplyExact(Long.parseLong(micros), 1_000L)) : Duration.ZERO;
        } catch (ArithmeticException | NumberFormatException _) {
            LOG.log(Level.WARNING, "Ignoring WATCHDOG_USEC=" + micros + ": it is no number of microseconds");
            return Duration.ZERO;
        }
    }

    /// Begins to tell how the node is, and that its event loops answer: `whenAllAnswer` runs a task when they have.
    void observe(Background background, Supplier<Health> health, Consumer<Runnable> whenAllAnswer) {
        if (socket == null) {
            return;
        }
        background.every(STATUS_PERIOD, () -> tell(health.get()));
        if (watchdog.isPositive()) {
            background.every(watchdog.dividedBy(QUESTIONS_PER_WATCHDOG), () -> ask(whenAllAnswer));
        }
    }

    void tell(Health health) {
        String now = health.isWell() ? "Serving" : health.reason().replace('\n', ' ');
        if (!now.equals(status)) {
            status = now;
            send("STATUS=" + now);
        }
    }

    /// While an event loop hangs, the question stays open and no other is put.
    void ask(Consumer<Runnable> whenAllAnswer) {
        if (loopsAnswered) {
            loopsAnswered = false;
            whenAllAnswer.accept(this::onLoopsAnswered);
        }
    }

    private void onLoopsAnswered() {
        loopsAnswered = true;
        // Again that it is ready: a message may have been dropped.
        send(ready ? "WATCHDOG=1\nREADY=1" : "WATCHDOG=1");
    }

    /// The node serves.
    void ready() {
        ready = true;
        send("READY=1\nSTATUS=Serving");
    }

    /// The node begins to stop.
    void stopping() {
        ready = false;
        send("STOPPING=1\nSTATUS=Stopping");
    }

    private void send(String message) {
        if (socket == null) {
            return;
        }
        try {
            socket.send(message);
        } catch (IOException refused) {
            if (!warned) {
                warned = true;
                LOG.log(Level.WARNING, "Cannot notify the service manager: " + refused.getMessage());
            }
        }
    }
}
