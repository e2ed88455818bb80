package io.tallis.command.dispatch;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSettings;
import io.tallis.command.Denial;
import io.tallis.command.KeyEvents;
import io.tallis.command.LoopState;
import io.tallis.command.Reply;
import io.tallis.command.Tracker;
import io.tallis.command.Transaction;
import io.tallis.command.clients.Monitors;
import io.tallis.command.clients.SlowLog;
import io.tallis.command.facts.CommandFlag;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.LatencyEvents;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Halt;
import io.tallis.runtime.Live;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Runs one command that has passed all checks: counts it, times it, and turns exceptions into error replies.
///
/// Both requests and the commands of a transaction are run here. Any event loop may call, for its own clients.
public final class CommandRunner {
    public static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

    /// One in so many calls of a fast command is timed, because reading the clock twice costs as much as an increment.
    /// The timed call counts for the untimed ones before it.
    private static final int SAMPLE = 16;

    /// The first calls of each command, so many, are all timed: a sample of a few calls says little, and the first
    /// calls are the slowest.
    private static final int TIMED_FIRST = 1024;

    private static final Logger LOG = System.getLogger(CommandRunner.class.getName());

    private final AccessControl access;
    private final Live<CommandSettings> settings;
    private final Clock clock;
    private final CommandStats stats;
    private final SlowLog slowLog;
    private final LatencyEvents latency;
    private final Monitors monitors;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    public CommandRunner(
            AccessControl access,
            Live<CommandSettings> settings,
            Clock clock,
            CommandStats stats,
            SlowLog slowLog,
            LatencyEvents latency,
            Monitors monitors) {
        this.access = access;
        this.settings = settings;
        this.clock = clock;
        this.stats = stats;
        this.slowLog = slowLog;
        this.latency = latency;
        this.monitors = monitors;
    }

    /// Runs a command that has passed the checks.
    void run(CommandEntry entry, LoopState loop, Arguments arguments, Client client, Reply reply) {
        Tracker tracker = client.tracker();
        if (tracker != null) {
            tracker.beforeRun(entry, arguments);
        }
        runCounted(entry, loop, arguments, client, reply);
        if (monitors.any()) {
            monitors.show(entry.spec(), arguments, client);
        }
    }

    private void runCounted(CommandEntry entry, LoopState loop, Arguments arguments, Client client, Reply reply) {
        CommandStats.Recorder recorder = loop.stats();
        int id = entry.id();
        int weight = weight(entry, loop, recorder.calls(id));
        recorder.called(id);
        if (weight == 0) {
            call(entry, loop, arguments, client, reply);
            return;
        }
        long start = clock.nanos();
        call(entry, loop, arguments, client, reply);
        long nanos = clock.nanos() - start;
        recorder.took(id, nanos, weight);
        report(entry, nanos, arguments, client);
    }

    /// How many calls the timing of the next call counts for; 0 when it is not timed.
    private static int weight(CommandEntry entry, LoopState loop, long callsBefore) {
        if (!entry.is(CommandFlag.FAST) || loop.timesAll() || callsBefore < TIMED_FIRST) {
            return 1;
        }
        return (callsBefore + 1) % SAMPLE == 0 ? SAMPLE : 0;
    }

    /// Runs a command of a transaction. `arguments` is overwritten.
    public void runQueued(Transaction.Queued queued, Arguments arguments, Client client, Reply reply) {
        LoopState loop = client.loop();
        if (loop == null) {
            throw new IllegalStateException("a client that has queued commands has a loop state");
        }
        queued.restore(arguments);
        // The user may have changed since.
        Denial denial = access.denial(queued.entry(), arguments, client, AccessControl.Context.MULTI);
        if (denial != null) {
            reject(queued.entry(), loop, denial.errorAtExec(), reply);
            return;
        }
        run(queued.entry(), loop, arguments, client, reply);
    }

    /// Runs a command that a script calls.
    void runNested(CommandEntry entry, Arguments arguments, Client client, Reply reply) {
        LoopState loop = client.loop();
        if (loop == null) {
            throw new IllegalStateException("a client that runs a script has a loop state");
        }
        run(entry, loop, arguments, client, reply);
    }

    private void call(CommandEntry entry, LoopState loop, Arguments arguments, Client client, Reply reply) {
        try {
            entry.command().run(arguments, client, reply);
        } catch (CommandError error) {
            failed(entry, loop, error.text(), reply);
        } catch (KeyspaceFullException full) {
            failed(entry, loop, "OOM " + full.getMessage(), reply);
        } catch (RuntimeException bug) {
            reportOnce(entry, bug);
            failed(entry, loop, "ERR internal error", reply);
            client.link().closeAfterReplies();
        } catch (Error mistake) {
            throw isFatal(entry, mistake) && !client.inSection() ? Halt.because(mistake) : mistake;
        }
    }

    /// Whether an error must end the process: it may have interrupted a change, or [Halt] threw it. Any other error
    /// closes the client's connection. Within a section [io.tallis.command.AtomicSection] decides instead, which knows
    /// whether anything was changed.
    private static boolean isFatal(CommandEntry entry, Error mistake) {
        return entry.is(CommandFlag.WRITE) || mistake instanceof AssertionError;
    }

    private static void failed(CommandEntry entry, LoopState loop, String text, Reply reply) {
        loop.failed(entry.id(), text);
        reply.error(text);
    }

    /// Logs each kind of bug once, since a client may trigger it again and again.
    private void reportOnce(CommandEntry entry, RuntimeException bug) {
        String kind = entry.spec().fullName() + " " + bug.getClass().getName();
        if (reported.add(kind)) {
            LOG.log(Level.ERROR, "command '" + entry.spec().fullName() + "' failed because of a bug", bug);
        }
    }

    private void report(CommandEntry entry, long nanos, Arguments arguments, Client client) {
        CommandSettings now = settings.now();
        long micros = nanos / 1000;
        long threshold = now.slowlogLogSlowerThanMicros();
        if (threshold >= 0 && micros >= threshold && !entry.is(CommandFlag.SKIP_SLOWLOG)) {
            slowLog.add(clock.epochMillis(), micros, entry.spec(), arguments, client, now.slowlogMaxLen());
        }
        long latencyMillis = now.latencyMonitorThresholdMillis();
        if (latencyMillis > 0 && micros >= latencyMillis * 1000) {
            String event = entry.is(CommandFlag.FAST) ? "fast-command" : "command";
            latency.add(event, clock.epochMillis(), micros / 1000);
        }
    }

    /// Answers a request whose command is not run.
    void reject(CommandEntry entry, LoopState loop, String text, Reply reply) {
        loop.stats().rejected(entry.id());
        rejectUnknown(text, reply);
    }

    void rejectUnknown(String text, Reply reply) {
        stats.error(text);
        reply.error(text);
    }

    /// The state of one more event loop.
    LoopState newLoopState(KeyEvents events) {
        return new LoopState(stats.recorder(), stats::error, events);
    }
}
