package io.tallis.command.script;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.command.dispatch.NestedCommands;
import io.tallis.command.facts.CommandFacts;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Clock;
import io.tallis.script.Host;
import io.tallis.script.LuaError;
import io.tallis.script.LuaString;
import io.tallis.script.LuaTable;
import io.tallis.script.LuaValue;
import io.tallis.script.RedisLibrary;
import io.tallis.script.Sandbox;
import io.tallis.script.ScriptStopped;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// Runs the scripts of the clients of one event loop, one at a time, under the locks of their keys. Belongs to that
/// event loop, except [#kill].
///
/// A script ends when it has taken its steps, rather than after some time. So how far it gets depends on what it does,
/// and on no pause of the process: a script that has changed something and is within its bound is never cut short.
final class ScriptRunner {
    private static final Logger LOG = System.getLogger("io.tallis.script");
    private static final Level[] LEVELS = {Level.DEBUG, Level.DEBUG, Level.INFO, Level.WARNING};

    /// What calling a command costs besides the words.
    private static final int STEPS_OF_A_CALL = 32;

    private static final String TIME = "time";

    /// What an attempt to kill a script finds.
    enum State {
        IDLE,
        READING,
        WRITING,
        KILLED
    }

    /// A call of a script. `keys` and `arguments` are those of the request.
    record Run(Script script, DeclaredKeys keys, LuaTable arguments, boolean readsOnly) {}

    private final NestedCommands commands;
    private final Clock clock;
    private final Sandbox sandbox = new Sandbox(new CommandHost());
    private final ReplyCapture capture = new ReplyCapture();
    private final Arguments words = new Arguments();

    /// Keeps a script from ending, and the next one from beginning, while it is killed.
    private final Object ending = new Object();

    @GuardedBy("ending")
    private State state = State.IDLE;

    private byte[] buffer = new byte[256];
    private @Nullable Client client;
    private @Nullable Run run;
    private long startMicros;

    ScriptRunner(NestedCommands commands, Clock clock) {
        this.commands = commands;
        this.clock = clock;
    }

    /// Runs a script within a section of the client, and replies. `mostSteps` bounds it.
    void run(Run call, Client caller, long mostSteps, Reply reply) {
        client = caller;
        run = call;
        startMicros = 0;
        enter(State.READING);
        try {
            LuaValue result = sandbox.run(call.script.prototype(), call.keys.table(), call.arguments, mostSteps);
            ReplyWriter.charge(result, sandbox.machine());
            ReplyWriter.write(result, reply);
        } catch (LuaError error) {
            throw new CommandError(text(error) + place(call.script, error.line()));
        } catch (ScriptStopped stopped) {
            throw new CommandError(stopped.text() + place(call.script, 0));
        } catch (StackOverflowError | OutOfMemoryError exhausted) {
            // Of the script itself: what a command may have left half done has ended the process.
            throw new CommandError(
                    "ERR Error running script: " + exhausted.getClass().getSimpleName() + place(call.script, 0));
        } catch (RuntimeException bug) {
            // Not passed on, since an exception after a change ends the process (AtomicSection): the changes of a
            // script are whole commands, and a mistake in the language leaves none of them half done.
            LOG.log(Level.ERROR, "script " + call.script.sha1() + " failed because of a bug", bug);
            throw new CommandError("ERR internal error" + place(call.script, 0));
        } finally {
            enter(State.IDLE);
            caller.tookSteps(mostSteps - sandbox.machine().stepsLeft());
            client = null;
            run = null;
        }
    }

    private String text(LuaError error) {
        if (RedisLibrary.errorOf(error.value()) instanceof LuaString text) {
            return text.beforeZero().toString();
        }
        return switch (error.value()) {
            case LuaTable _ -> "ERR the error is a table without the field err";
            default -> "ERR " + LuaString.of(String.valueOf(error.getMessage())).beforeZero();
        };
    }

    private static String place(Script script, int line) {
        return " script: " + script.sha1() + (line > 0 ? ", on @user_script:" + line + "." : "");
    }

    /// Ends the script that runs now, if it has changed nothing. Returns what it was doing. Any thread may call this.
    State kill() {
        synchronized (ending) {
            if (state == State.READING) {
                state = State.KILLED;
                sandbox.machine().kill();
            }
            return state;
        }
    }

    private void enter(State next) {
        synchronized (ending) {
            state = next;
            sandbox.machine().spare();
        }
    }

    /// Returns whether the script may change something: it was not killed.
    private boolean beginToWrite() {
        synchronized (ending) {
            state = state == State.READING ? State.WRITING : state;
            return state == State.WRITING;
        }
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("no script runs");
        }
        return value;
    }

    /// What the script that runs reaches.
    private final class CommandHost implements Host, NestedCommands.Scope {
        @Override
        public LuaValue call(LuaString[] called) {
            fillIn(called);
            sandbox.machine().charge(STEPS_OF_A_CALL);
            capture.begin();
            CommandEntry entry = commands.find(words);
            if (entry != null && entry.spec().fullName().equals(TIME) && words.count() == 1) {
                replyTime();
            } else {
                try {
                    commands.run(words, present(client), this, capture);
                } catch (CommandError refusal) {
                    capture.error(refusal.text());
                }
            }
            sandbox.machine().chargeBytes(capture.size());
            return capture.result();
        }

        /// The time is the same for the whole script.
        private void replyTime() {
            if (startMicros == 0) {
                startMicros = clock.epochMicros();
            }
            capture.array(2);
            capture.digits(startMicros / 1_000_000);
            capture.digits(startMicros % 1_000_000);
        }

        private void fillIn(LuaString[] called) {
            long length = 0;
            for (LuaString word : called) {
                length += word.length();
            }
            sandbox.machine().chargeBytes(length);
            if (length > buffer.length) {
                buffer = new byte[(int) length];
            }
            words.begin(buffer);
            int end = 0;
            for (LuaString word : called) {
                System.arraycopy(word.bytes(), 0, buffer, end, word.length());
                words.add(end, word.length());
                end += word.length();
            }
        }

        @Override
        public boolean knows(LuaString[] called) {
            fillIn(called);
            return commands.find(words) != null;
        }

        @Override
        public boolean mayRun(LuaString[] called) {
            fillIn(called);
            return commands.mayRun(words, present(client));
        }

        @Override
        public String version() {
            return CommandFacts.REDIS_VERSION;
        }

        @Override
        public void protocol(int version) {
            capture.protocol(version);
        }

        @Override
        public void log(int level, String text) {
            LOG.log(LEVELS[level], text.replace('\n', ' ').replace('\r', ' '));
        }

        @Override
        public boolean declares(Key key) {
            return present(run).keys.contains(key);
        }

        @Override
        public boolean write() {
            Run now = present(run);
            if (now.readsOnly || now.script.readsOnly()) {
                return false;
            }
            if (!beginToWrite()) {
                // It was killed, and ends here.
                sandbox.machine().charge(0);
            }
            return true;
        }
    }
}
