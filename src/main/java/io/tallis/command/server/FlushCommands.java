package io.tallis.command.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.runtime.Live;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// `FLUSHALL` and `FLUSHDB [ASYNC|SYNC]`: deletes every counter that this node has, as `DEL` would, on a thread of its
/// own. Increments that this node has not received survive, as with `DEL`.
///
/// The reply is sent when the journal has all deletions, with `ASYNC` too; only this client waits. If changes begin to
/// be refused meanwhile, the reply is that refusal, and some counters may be deleted.
public final class FlushCommands implements CommandFamily {
    private final Queue queue;
    private final Live<CommandSettings> settings;
    private final Consumer<String> log;

    /// `log` receives, for operators, what is done and which client asked for it.
    public FlushCommands(Flush flush, Live<CommandSettings> settings, Later later, Consumer<String> log) {
        queue = new Queue(() -> run(flush), later);
        this.settings = settings;
        this.log = log;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("flushall", this::run).add("flushdb", this::run);
    }

    private @Nullable String run(Flush flush) {
        String error = flush.run();
        log.accept(error == null ? "deleted all counters" : "did not delete all counters: " + error);
        return error;
    }

    private void run(Arguments arguments, Client client, Reply reply) {
        boolean hasMode = arguments.count() == 2 && (arguments.is(1, "ASYNC") || arguments.is(1, "SYNC"));
        if (arguments.count() > 1 && !hasMode) {
            throw CommandError.syntax();
        }
        String name = arguments.is(0, "FLUSHDB") ? "FLUSHDB" : "FLUSHALL";
        LocalGuard.check(settings.now().flushCommand(), name, "enable-flush-command", client);
        log.accept("deletes all counters: " + name + " from " + client.link().remoteAddress());
        Link.Suspension suspension = client.suspend();
        queue.join(error -> suspension.resume(answer -> {
            if (error != null) {
                throw new CommandError(error);
            }
            answer.ok();
        }));
    }

    /// Runs flushes for many clients: clients that ask while one runs share the next one, because the running one may
    /// have passed counters that were created since. So at most one runs and one waits.
    static final class Queue {
        /// The most clients that share the next flush. Others are refused.
        private static final int MOST_WAITING = 10_000;

        private final Supplier<@Nullable String> flush;
        private final Later later;

        @GuardedBy("this")
        private List<Consumer<@Nullable String>> waiting = new ArrayList<>();

        Queue(Supplier<@Nullable String> flush, Later later) {
            this.flush = flush;
            this.later = later;
        }

        /// Calls `done` at the end of a flush that begins after this call, with null or the error reply.
        void join(Consumer<@Nullable String> done) {
            if (isFull()) {
                done.accept(Later.TOO_MANY);
            } else if (isFirst(done)) {
                // Never refused, since at most one runs and one waits.
                var _ = later.onItsOwn("flush", this::run);
            }
        }

        private synchronized boolean isFull() {
            return waiting.size() >= MOST_WAITING;
        }

        private synchronized boolean isFirst(Consumer<@Nullable String> done) {
            waiting.add(done);
            return waiting.size() == 1;
        }

        private void run() {
            List<Consumer<@Nullable String>> clients = takeWaiting();
            String error = flush.get();
            clients.forEach(done -> done.accept(error));
        }

        private synchronized List<Consumer<@Nullable String>> takeWaiting() {
            List<Consumer<@Nullable String>> taken = waiting;
            waiting = new ArrayList<>();
            return taken;
        }
    }
}
