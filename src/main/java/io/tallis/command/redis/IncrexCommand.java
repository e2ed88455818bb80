package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.TimeOption;
import io.tallis.command.TokenOption;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Step;

/// `INCREX key [BYINT increment] [LBOUND bound] [UBOUND bound] [SATURATE] [EX seconds | PX milliseconds | EXAT time |
/// PXAT time | PERSIST] [ENX] [NX | XX] [IDMP producer-id idempotent-id]`: adds to a counter within bounds and sets its
/// deadline, in one change.
///
/// Replies the value and what was added to it, which is 0 if a bound or a condition does not allow the increment. The
/// bounds are those of this node's view: several nodes that count at once may pass them together. A request that is
/// repeated with its token is replied what was added the first time.
final class IncrexCommand implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Options options = new Options(arguments);
        Step step = options.read(client);
        Counters counters = client.counters();
        Key key = arguments.key(1);
        Counters.Increment result = options.increment(key, step, counters);
        switch (result) {
            case DONE, SKIPPED -> {
                if (result == Counters.Increment.DONE && options.isNew(counters)) {
                    tell(step, key, client);
                }
                reply.array(2);
                reply.integer(counters.value());
                reply.integer(counters.added());
            }
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw CommandError.wrongType();
            case NO_NUMBER -> throw CommandError.noNumber();
            case NOT_HERE -> throw TokenOption.notHere();
            case TOO_MANY_TOKENS -> throw TokenOption.tooMany();
        }
    }

    private static void tell(Step step, Key key, Client client) {
        client.happened(KeyEvent.INCRBY, key);
        boolean setsDeadline = step.deadline() != Counters.KEEP && step.deadline() != Life.NEVER;
        if (setsDeadline && client.counters().cell().life().deadline() == step.deadline()) {
            client.happened(KeyEvent.EXPIRE, key);
        }
    }

    /// The options of one request, in any order.
    private static final class Options {
        private final Arguments arguments;
        private final TimeOption time;
        private int increment;
        private int lowerBound;
        private int upperBound;
        private boolean saturates;
        private boolean ifMissing;
        private boolean ifPresent;
        private boolean onlyIfUndated;
        private int token;

        Options(Arguments arguments) {
            this.arguments = arguments;
            time = new TimeOption(arguments);
        }

        Step read(Client client) {
            int word = 2;
            while (word < arguments.count()) {
                word += take(word);
            }
            require(!(time.hasWord() && onlyIfUndated) && !(ifMissing && ifPresent));
            if (onlyIfUndated && !time.hasTime()) {
                throw new CommandError("ERR ENX flag requires an expiration");
            }
            long delta = number(increment, 1);
            long lowest = number(lowerBound, Long.MIN_VALUE);
            long highest = number(upperBound, Long.MAX_VALUE);
            if (lowest > highest) {
                throw new CommandError("ERR LBOUND can't be greater than UBOUND");
            }
            long deadline = time.deadlineOr(time.hasWord() ? Life.NEVER : Counters.KEEP, client, "increx");
            return new Step(delta, lowest, highest, saturates, ifMissing, ifPresent, onlyIfUndated, deadline);
        }

        Counters.Increment increment(Key key, Step step, Counters counters) {
            return token == 0
                    ? counters.increment(key, step)
                    : counters.increment(key, step, TokenOption.read(arguments, token, key));
        }

        /// Whether the increment was made now, and not before with the same token.
        boolean isNew(Counters counters) {
            return token == 0 || counters.isNew();
        }

        private long number(int word, long otherwise) {
            return word == 0 ? otherwise : Numbers.signed(arguments, word);
        }

        /// Takes the option at a word. Returns how many words it has.
        private int take(int word) {
            if (time.take(word) > 0) {
                return 2;
            }
            if (arguments.is(word, "BYINT")) {
                require(increment == 0);
                increment = valueOf(word);
                return 2;
            }
            if (arguments.is(word, "LBOUND")) {
                require(lowerBound == 0);
                lowerBound = valueOf(word);
                return 2;
            }
            if (arguments.is(word, "UBOUND")) {
                require(upperBound == 0);
                upperBound = valueOf(word);
                return 2;
            }
            if (TokenOption.isAt(arguments, word)) {
                require(token == 0);
                token = word;
                return TokenOption.WORDS;
            }
            takeFlag(word);
            return 1;
        }

        private int valueOf(int option) {
            require(option + 1 < arguments.count());
            return option + 1;
        }

        private void takeFlag(int word) {
            if (arguments.is(word, "SATURATE")) {
                saturates = true;
            } else if (arguments.is(word, "ENX")) {
                onlyIfUndated = true;
            } else if (arguments.is(word, "NX")) {
                ifMissing = true;
            } else if (arguments.is(word, "XX")) {
                ifPresent = true;
            } else if (arguments.is(word, "BYFLOAT")) {
                throw new CommandError("ERR BYFLOAT is not supported: counters are integers of 64 bits, use BYINT");
            } else {
                require(time.takeWord("PERSIST", word));
            }
        }

        private static void require(boolean good) {
            if (!good) {
                throw CommandError.syntax();
            }
        }
    }
}
