package io.tallis.command.facts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The page `commands.md`, made from the facts and from dialogues that are run as tests.
final class ReferencePage {
    private static final String HEAD = """
            # Commands

            <!-- Made from src/main/resources/io/tallis/command/facts/commands.txt: change that, then run
                 ./mvnw test -Dtest=ReferencePageTest -Dpage=write -->

            Names of commands and subcommands, and words in upper case, can be written in any case. Keys have 1 to 65,535 bytes of
            any value. "Since" is a version of Tallis for `GCOUNT`, `PNCOUNT`, `HCOUNT`, `SYSTEM` and `CL.THROTTLE`, and of Redis
            for all other commands. `INCREX` has `NX`, `XX` and `IDMP` besides what Redis has.

            ## Types and values

            * A `GCOUNT` only grows: an unsigned number of 64 bits, which stops at 18446744073709551615. There `INC` still returns
              `OK` and adds nothing. From 9223372036854775808 on, its value is returned as a string of digits.
            * A `PNCOUNT` goes up and down: a signed number of 64 bits. A change that would leave this range is refused and changes
              nothing.
            * A key can hold one counter of each type. Redis's commands see it as one key and act on its `PNCOUNT`. Commands that
              read fall back to the `GCOUNT`; commands that change a value return `WRONGTYPE` when there is only a `GCOUNT`.
            * `SET` and its variants assign any bytes. A value that is written as a whole number of 64 signed bits (`42`, not
              `042` or `+42`) is a `PNCOUNT` with that value, to be incremented. Any other value is a text of at most
              `value-max-len` bytes; increments of it are refused, also those of `PNCOUNT`.
            * `INC` and `DEC` return `OK` and not a value, because the sum is one node's view, and other nodes may have counted
              since.
            * `GCOUNT INC key 0` and `PNCOUNT INC key 0` change nothing, and create no key. `SET key 0` and `INCRBY key 0` create a
              counter with the value 0.
            * `RAW` returns the contribution of each node, without what was reset. The name is the setting `name`, or else that of
              the machine. If several nodes have the same name, all but one get a suffix from their UUID, as in `name-1a2b`. A
              contribution of an unknown node is listed under its replica id, 32 hexadecimal digits. A value that was assigned
              is listed first, as `(assigned)`; the increments since then are those of the nodes. Those of nodes that were
              forgotten are listed as `(forgotten)` once they are folded.

            ## Deadlines

            * A key with a deadline is deleted when the deadline comes, by each node on its own clock. Increments that a node
              has not seen by then survive, without a deadline if the key had none where they were made.
            * `EXPIRE` and its variants, `TTL`, `PERSIST` and `GETEX` concern both counters of a key; `TTL` returns the later
              deadline. `SET`, `INCREX`, `PNCOUNT EXPIRE` and `GCOUNT EXPIRE` concern one.
            * `SET`, `MSET`, `GETSET`, `SETEX` and `PNCOUNT SET` replace the deadline or take it away. Increments, `APPEND`,
              `SETRANGE`, `SET` with `KEEPTTL` and `INCREX` without a time keep it.
            * Of two deadlines that two nodes set at the same time, the later one is kept. A node that shortens a deadline, or
              takes it away, wins over the deadlines that it has seen.
            * A deadline that has come already deletes the key at once. The latest one is 2^63-2 milliseconds after 1970.
            * `INCREX`, `HCOUNT WINDOW` and `CL.THROTTLE` decide on what this node has seen. Nodes that count at the same time
              may pass a bound together, see [rate limits](rate-limits.md).

            ## Several nodes

            * A deletion removes the increments that this node has seen. Increments of other nodes that it has not seen survive.
            * An operation that is atomic in Redis is atomic on one node only. If two nodes get the same command at the same time,
              both execute it: of two `SET`s the later one is kept, also if both were `APPEND`, `SETNX` returns 1 on both and is
              no lock, `GETDEL` and `GETSET` on both return the old value, and `WATCH` does not see changes that have not arrived.
              Send such commands to one node to get Redis's semantics.
            * `SET` replaces the increments that this node has seen. Increments of other nodes that it has not seen are added
              to the value that it assigns.
            * Increments that stay within 64 bits on each node can add up to more. Such a `PNCOUNT` reads as the largest or smallest
              number; a change that leads further out is refused, and a change back is visible once the sum is within 64 bits
              again. `RAW` can show contributions of a `GCOUNT` that add up to more than its limit.
            * `RENAME` and `COPY` assign what this node sees of a key, with its deadline, to another key, as `SET` does;
              `RENAME` then deletes the first, as `DEL` does. Increments that other nodes add to the first key meanwhile
              stay there, or survive there.
            * `MULTI`/`EXEC` is atomic on this node and on its disk. Other nodes may see a part of it first, and keep only that part
              if this node is lost with its disk before they have the rest; `WAIT` tells when they have it.
            * Messages of `PUBLISH` reach the clients of this node only. [Keyspace notifications](notifications.md) tell of
              the changes of all nodes.

            ## Limits

            * A transaction has at most 65,536 commands of 8 MiB. A client can watch 4,096 keys, and have 16,384 subscriptions with
              1 MiB of names.
            * Changes that happen at once (`EXEC`, a script, `MSET`, `MINC`, `DEL` of several keys) can write at most 8 MiB to
              the journal, else `this changes more than 8388608 bytes of counters at once` and nothing is changed. A counter
              takes some bytes there for every process that ever changed it, and each change of a key with a text takes the
              length of the text. On one key that concerns `HSET` and `ZADD` of some 80,000 new fields with short names,
              `HDEL` and `ZREM` of 45,000, `RENAME` and `COPY` of a hash with 25,000. `DEL`, `EXPIRE`, `PERSIST`, `ZPOPMIN`,
              `ZPOPMAX`, `ZREMRANGEBYRANK` and `ZREMRANGEBYSCORE` of any size pass, but not
              [in `MULTI`](leaderboards.md#what-is-different-from-redis) and scripts.
            * `KEYS` is refused for more than 1,000,000 keys, 48 MiB, or a 32nd of the heap. One call of `SCAN` visits at most
              65,536 counters, and ends early after 1 MiB of keys. A reply of `SCAN`, `HSCAN` or `ZSCAN` may be empty and have
              a cursor other than 0, as where many keys or members were removed: go on until the cursor is 0.
            * `MGET` and `EXISTS` see all their keys at one moment. `DBSIZE`, `RANDOMKEY`, `KEYS` and `SCAN` visit the keys one
              after the other while other clients change them.

            ## What is missing

            * Every other command and subcommand of Redis 7.2, and nearly all that Redis 8 added to it, is refused by a text
              of its own that says why, such as
              `ERR lists are not supported: Tallis holds counters, strings, hashes and sorted sets`. Client libraries do not
              take that for a lack that passes, as some do with `unknown command`.
            * `INCRBYFLOAT` takes whole amounts (`5`, `5.0`, `1e2`) and refuses fractions and hexadecimal numbers (`0x10`).
              `INCREX` takes no `BYFLOAT`, `SET` no `IFEQ`, `IFNE`, `IFDEQ` and `IFDNE`.
            * Error replies show bytes of a request that are not UTF-8 as the replacement character U+FFFD.
            * What Redis does not have either is refused as Redis refuses an unknown command.
            """;

    private static final Map<String, String> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("counter", "Counters");
        GROUPS.put("string", "Values");
        GROUPS.put("hash", "Hashes");
        GROUPS.put("sorted-set", "Sorted sets");
        GROUPS.put("generic", "Keys");
        GROUPS.put("transactions", "Transactions");
        GROUPS.put("pubsub", "Publish and subscribe");
        GROUPS.put("connection", "Connection");
        GROUPS.put("scripting", "Scripts");
        GROUPS.put("server", "Server");
        GROUPS.put("cluster", "Redis Cluster");
    }

    /// The pages whose first dialogue is the example of a group.
    private static final Map<String, List<String>> EXAMPLES = Map.of(
            "counter", List.of("gcount.md", "pncount.md"),
            "string", List.of("redis.md", "values.md", "increx.md", "throttle.md"),
            "hash", List.of("hashes.md"),
            "sorted-set", List.of("leaderboards.md"),
            "generic", List.of("expiry.md"),
            "transactions", List.of("transactions.md"),
            "pubsub", List.of("pubsub.md"));

    private static final Path DIALOGUES = Path.of("src/test/resources/io/tallis/transcript");

    private final CommandFacts facts;

    ReferencePage(CommandFacts facts) {
        this.facts = facts;
    }

    String text() {
        StringBuilder page = new StringBuilder(HEAD);
        Map<String, List<CommandSpec>> byGroup = facts.commands().stream()
                .collect(Collectors.groupingBy(spec -> spec.docs().group()));
        GROUPS.forEach((group, title) -> {
            page.append("\n## ").append(title).append('\n');
            EXAMPLES.getOrDefault(group, List.of()).forEach(file -> page.append(example(file)));
            byGroup.getOrDefault(group, List.of()).forEach(spec -> append(spec, page));
        });
        return page.toString();
    }

    private static String example(String file) {
        try {
            String page = Files.readString(DIALOGUES.resolve(file));
            int start = page.indexOf("```");
            return "\n" + page.substring(start, page.indexOf("```", start + 3)) + "```\n";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void append(CommandSpec spec, StringBuilder page) {
        if (spec.subcommands().isEmpty()) {
            entry(spec, page);
            return;
        }
        page.append("\n### ").append(spec.typedName()).append("\n\n");
        page.append(spec.docs().summary()).append("\n");
        spec.subcommands().forEach(child -> entry(child, page));
    }

    private static void entry(CommandSpec spec, StringBuilder page) {
        String usage = (spec.typedName() + " " + spec.docs().usage()).strip();
        page.append("\n#### `").append(usage).append("`\n\n");
        page.append(spec.docs().summary()).append("\n\n");
        page.append(spec.docs().complexity().replaceFirst("\\.$", ""))
                .append(". Since ")
                .append(spec.docs().since());
        if (!spec.flags().isEmpty()) {
            page.append(". Flags: ");
            page.append(spec.flags().stream().map(CommandFlag::redisName).collect(Collectors.joining(", ")));
        }
        page.append(".\n");
    }
}
