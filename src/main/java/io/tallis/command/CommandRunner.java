package io.tallis.command;

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

/// Runs one command that nothing speaks against: counts it, times it, turns what it throws into an answer.
///
/// Requests and the commands of a transaction come through here alike. Any event loop may call, each for its
/// clients.
public final class CommandRunner {
    public static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

    /// One in so many calls of a fast command is timed: reading the clock twice costs as much as counting. It is the
    /// last of them and stands for those before it.
    private static final int SAMPLE = 16;

    /// So many calls are timed one by one first: a few tell little about others, least of all the very first.
    private static final int TIMED_FIRST = 1024;

    private static final Logger LOG = System.getLogger(CommandRunner.class.getName());

    private final Live<CommandSettings> settings;
    private final Clock clock;
    private final CommandStats stats;
    private final SlowLog slowLog;
    private final LatencyEvents latency;
    private final Monitors monitors;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    public CommandRunner(
            Live<CommandSettings> settings,
            Clock clock,
            CommandStats stats,
            SlowLog slowLog,
            LatencyEvents latency,
            Monitors monitors) {
        this.settings = settings;
        this.clock = clock;
        this.stats = stats;
        this.slowLog = slowLog;
        this.latency = latency;
        this.monitors = monitors;
    }

    /// Runs a command that has been checked. The client's lane must be known.
    void run(CommandEntry entry, Lane lane, Arguments arguments, Client client, Reply reply) {
        runCounted(entry, lane, arguments, client, reply);
        if (monitors.any()) {
            monitors.show(entry.spec(), arguments, client);
        }
    }

    private void runCounted(CommandEntry entry, Lane lane, Arguments arguments, Client client, Reply reply) {
        CommandStats.Recorder recorder = lane.stats();
        int id = entry.id();
        int standsFor = standsFor(entry, lane, recorder.calls(id));
        recorder.called(id);
        if (standsFor == 0) {
            call(entry, lane, arguments, client, reply);
            return;
        }
        long start = clock.nanos();
        call(entry, lane, arguments, client, reply);
        long nanos = clock.nanos() - start;
        recorder.took(id, nanos, standsFor);
        report(entry, nanos, arguments, client);
    }

    /// For how many calls the next one is timed; 0 when it is not.
    private static int standsFor(CommandEntry entry, Lane lane, long callsBefore) {
        if (!entry.is(CommandFlag.FAST) || lane.timesAll() || callsBefore < TIMED_FIRST) {
            return 1;
        }
        return (callsBefore + 1) % SAMPLE == 0 ? SAMPLE : 0;
    }

    /// Runs a command of a transaction. `arguments` is overwritten.
    public void runQueued(QueuedCommand queued, Arguments arguments, Client client, Reply reply) {
        Lane lane = client.lane();
        if (lane == null) {
            throw new IllegalStateException("a client without a lane has queued nothing");
        }
        queued.restore(arguments);
        run(queued.entry(), lane, arguments, client, reply);
    }

    private void call(CommandEntry entry, Lane lane, Arguments arguments, Client client, Reply reply) {
        try {
            entry.command().run(arguments, client, reply);
        } catch (CommandError error) {
            failed(entry, lane, error.text(), reply);
        } catch (KeyspaceFullException _) {
            failed(entry, lane, OUT_OF_MEMORY, reply);
        } catch (RuntimeException bug) {
            reportOnce(entry, bug);
            failed(entry, lane, "ERR internal error", reply);
            client.link().closeAfterReplies();
        } catch (Error mistake) {
            throw endsAll(entry, mistake) && !client.inSection() ? Halt.because(mistake) : mistake;
        }
    }

    /// Whether an error of the JVM may have struck in the middle of a change, or is what [Halt] made of a mistake.
    /// Another one costs the client its connection.
    private static boolean endsAll(CommandEntry entry, Error mistake) {
        return entry.is(CommandFlag.WRITE) || mistake instanceof AssertionError;
    }

    private static void failed(CommandEntry entry, Lane lane, String text, Reply reply) {
        lane.failed(entry, text);
        reply.error(text);
    }

    /// A client can repeat what hits a bug as often as it likes; the log hears of each kind once.
    private void reportOnce(CommandEntry entry, RuntimeException bug) {
        String kind = entry.spec().fullName() + " " + bug.getClass().getName();
        if (reported.add(kind)) {
            LOG.log(Level.ERROR, "command '" + entry.spec().fullName() + "' failed through a mistake of ours", bug);
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

    /// Answers a request that was not run.
    void reject(CommandEntry entry, Lane lane, String text, Reply reply) {
        lane.stats().rejected(entry.id());
        rejectUnknown(text, reply);
    }

    void rejectUnknown(String text, Reply reply) {
        stats.error(text);
        reply.error(text);
    }

    /// A lane for one more event loop.
    Lane newLane() {
        return new Lane(stats.recorder(), stats::error);
    }
}
