package io.tallis.command.server;

import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Has something done off the event loops, which it must not keep waiting.
public interface Later {
    /// Runs a short task on the background thread after that time.
    void after(Duration delay, Runnable task);

    /// Runs a long task on a thread that has this name, after those that were wanted before under the same name.
    /// Returns false, and does nothing, when too many wait.
    boolean onItsOwn(String thread, Runnable task);

    /// The same for a client, who gets the answer that the task returns or the error that it throws, or is told that
    /// too many wait. A mistake of ours in the task costs that client its answer, and no other.
    default void answerOnItsOwn(String thread, Client client, Supplier<Consumer<Reply>> task) {
        Link.Suspension suspension = client.suspend();
        if (!onItsOwn(thread, () -> suspension.resume(answerOf(thread, task)))) {
            suspension.resume(answer -> {
                throw new CommandError("ERR too many clients wait for the same already");
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
                    .log(Level.ERROR, "what '" + thread + "' did for a client failed through a mistake of ours", bug);
            return _ -> {
                throw new CommandError("ERR internal error");
            };
        }
    }
}
