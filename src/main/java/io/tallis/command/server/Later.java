package io.tallis.command.server;

import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Runs the work of slow commands on threads of its own, since an event loop that waits serves none of its clients.
public interface Later {
    String TOO_MANY = "ERR too many clients wait for the same command";

    /// Runs a short task on the background thread after a delay.
    void after(Duration delay, Runnable task);

    /// Runs a long task on the thread of this name, after the earlier tasks of that thread. Returns false, without
    /// running it, when too many tasks wait.
    boolean onItsOwn(String thread, Runnable task);

    /// As [#onItsOwn] for a client, which gets the reply that the task returns, the error that it throws, or
    /// [#TOO_MANY]. A bug in the task affects the reply to this client only.
    default void answerOnItsOwn(String thread, Client client, Supplier<Consumer<Reply>> task) {
        Link.Suspension suspension = client.suspend();
        if (!onItsOwn(thread, () -> suspension.resume(answerOf(thread, task)))) {
            suspension.resume(answer -> {
                throw new CommandError(TOO_MANY);
            });
        }
    }

    private static Consumer<Reply> answerOf(String thread, Supplier<Consumer<Reply>> task) {
        try {
            return task.get();
        } catch (CommandError error) {
            return _ -> {
                throw error;
            };
        } catch (RuntimeException bug) {
            System.getLogger(Later.class.getName())
                    .log(Level.ERROR, "the task of thread '" + thread + "' failed because of a bug", bug);
            return _ -> {
                throw new CommandError("ERR internal error");
            };
        }
    }
}
