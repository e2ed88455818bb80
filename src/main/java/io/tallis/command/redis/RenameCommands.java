package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.Arrays;

/// `RENAME`, `RENAMENX`, `COPY`: one key gets what this node sees of another.
///
/// The counts of a key belong to its name on every node, so nothing can move them. What this node sees of a key is
/// assigned to the other one, as `SET` would, with its deadline; `RENAME` then deletes the first, as `DEL` would. So
/// increments that other nodes add to the first key meanwhile survive there, and those that they add to the second are
/// added to what it gets. On this node and on its disk all of that is one step.
///
/// A hash is treated as its fields are. Not within `MULTI` or a script, whose later commands would have to count in
/// advance what they write of the fields that the second key gets.
final class RenameCommands {
    private RenameCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("rename", RenameCommands::rename)
                .add("renamenx", RenameCommands::renameIfMissing)
                .add("copy", RenameCommands::copy);
    }

    private static void rename(Arguments arguments, Client client, Reply reply) {
        Pair pair = Pair.of(arguments, client);
        pair.run(() -> {
            pair.requireSource();
            if (!pair.isOne()) {
                pair.assign(true);
            }
            reply.ok();
        });
    }

    private static void renameIfMissing(Arguments arguments, Client client, Reply reply) {
        Pair pair = Pair.of(arguments, client);
        pair.run(() -> {
            pair.requireSource();
            boolean done = !pair.targetExists();
            if (done) {
                pair.assign(true);
            }
            reply.integer(done ? 1 : 0);
        });
    }

    /// `COPY source destination [DB destination-db] [REPLACE]`: there is only database 0.
    private static void copy(Arguments arguments, Client client, Reply reply) {
        boolean replaces = false;
        for (int word = 3; word < arguments.count(); word++) {
            if (arguments.is(word, "REPLACE")) {
                replaces = true;
            } else if (arguments.is(word, "DB") && word + 1 < arguments.count()) {
                requireOnlyDatabase(arguments, ++word);
            } else {
                throw CommandError.syntax();
            }
        }
        Pair pair = Pair.of(arguments, client);
        if (pair.isOne()) {
            throw new CommandError("ERR source and destination objects are the same");
        }
        boolean mayReplace = replaces;
        pair.run(() -> {
            boolean done = pair.sourceExists() && (mayReplace || !pair.targetExists());
            if (done) {
                pair.assign(false);
            }
            reply.integer(done ? 1 : 0);
        });
    }

    private static void requireOnlyDatabase(Arguments arguments, int word) {
        long index = Numbers.signed(arguments, word);
        if (index != (int) index) {
            throw new CommandError(
                    "ERR value is out of range, value must between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE);
        }
        if (index != 0) {
            throw new CommandError("ERR DB index is out of range");
        }
    }

    /// The two keys of a request.
    private record Pair(Key source, Key target, Client client, Counters counters) {
        static Pair of(Arguments arguments, Client client) {
            return new Pair(Key.of(arguments.bytes(1)), Key.of(arguments.bytes(2)), client, client.counters());
        }

        boolean isOne() {
            return Arrays.equals(source.array(), target.array());
        }

        /// Runs the steps while other threads keep away from both keys.
        void run(Runnable steps) {
            if (client.inSection() && counters.hashes().exists(source)) {
                throw new CommandError("ERR a hash is not renamed or copied within MULTI or a script");
            }
            AtomicSection.run(client, AtomicSection.partitionsOf(client, source, target), steps);
        }

        boolean sourceExists() {
            return counters.exists(source);
        }

        boolean targetExists() {
            return counters.exists(target);
        }

        void requireSource() {
            if (!sourceExists()) {
                throw new CommandError("ERR no such key");
            }
        }

        /// Gives the target what the source has, in place of all that it has.
        void assign(boolean deletesSource) {
            AtomicSection.requireRoomToCopy(client, source, target, deletesSource);
            if (!counters.hashes().fitAll(source, target)) {
                throw new CommandError("ERR the new key is too long for a field of the hash");
            }
            assignNumber();
            assignGCount();
            counters.hashes().delete(target);
            counters.hashes().copy(source, target);
            if (deletesSource) {
                counters.delete(source);
                client.happened(KeyEvent.RENAME_FROM, source);
            }
            client.happened(deletesSource ? KeyEvent.RENAME_TO : KeyEvent.COPY_TO, target);
        }

        private void assignNumber() {
            long deadline = counters.deadline(CounterType.PNCOUNT, source);
            if (deadline == Counters.ABSENT) {
                counters.delete(CounterType.PNCOUNT, target);
                return;
            }
            counters.read(CounterType.PNCOUNT, source);
            Cell cell = counters.cell();
            if (cell.hasText()) {
                byte[] text = Value.textOf(cell);
                counters.assign(target, text, 0, text.length, deadline);
            } else {
                counters.assign(target, counters.value(), deadline);
            }
        }

        private void assignGCount() {
            counters.delete(CounterType.GCOUNT, target);
            long deadline = counters.deadline(CounterType.GCOUNT, source);
            if (deadline == Counters.ABSENT) {
                return;
            }
            counters.read(CounterType.GCOUNT, source);
            counters.grow(target, counters.value());
            if (deadline != Life.NEVER) {
                counters.expireAt(CounterType.GCOUNT, target, deadline);
            }
        }
    }
}
