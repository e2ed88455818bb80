package io.tallis.command;

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

            <!-- Made from src/main/resources/io/tallis/command/commands.txt: change that, then run
                 ./mvnw test -Dtest=ReferencePageTest -Dpage=write -->

            Names of commands and subcommands, and words in upper case, may be written in any case. Keys are 1 to 65,535
            bytes of any value. A key may hold a GCOUNT and a PNCOUNT at once; to commands of Redis it is one key. "Since"
            is a version of Tallis for our own commands, and of Redis for Redis's.

            * `GCOUNT ...` and `PNCOUNT ...` are our own commands. `INC` and `DEC` answer `OK`, not a value: what one node
              sees may lack what others have just counted.
            * Commands of Redis act on the PNCOUNT of a key. `GET` and others that read answer the GCOUNT where there is
              no PNCOUNT; those that change a value then answer `WRONGTYPE`.
            * A PNCOUNT is a signed number of 64 bits; a change that would leave this range is refused and changes
              nothing. A GCOUNT is an unsigned number of 64 bits that stops at 18446744073709551615. From
              9223372036854775808 on its value is answered as a string of digits.
            * A GCOUNT that has reached the end stays there: `INC` answers `OK` and adds nothing. That is seen by its value,
              which is 18446744073709551615 and no less; `RAW` may show contributions of several nodes that add up to more.
            * `GCOUNT INC key 0` and `PNCOUNT INC key 0` change nothing: a key that did not exist still does not. To make one
              that is worth 0, say `SET key 0`, or `INCRBY key 0` as in Redis.
            * `RAW` answers who contributed what and is not taken back by a deletion, by name of the node (the setting
              `name`, else the machine's). Of several nodes with one name all but one are shown with digits of their UUIDs,
              as in `name-1a2b`. Sessions whose node nobody knows stand under their replica ids of 32 hexadecimal digits.
            * Deleting takes back what this node has seen. What another node counted at the same time survives.
            * What Redis does on one key as one step is one step on this node only. Where two nodes are told the same at
              the same time, both do it: `SET key 100` on both makes 200, `SETNX` answers 1 on both and is no lock,
              `GETDEL` and `GETSET` on both answer what is there, `WATCH` does not see what has not come yet. Whoever
              has these done on one node only gets what Redis gives.
            * Increments that are within 64 bits on each node may add up to more: such a PNCOUNT is read as the largest
              or smallest number, a change that leads further out is refused, and one that leads back is seen once the sum
              is within 64 bits again.
            * `MULTI`/`EXEC` is atomic on this node and on its disk; other nodes may see a part of it first, and keep that part
              if this node and its disk are lost before they have the rest (`WAIT` tells). At most
              65,536 commands with 8 MiB are queued, and 4,096 keys watched. What is changed as one, by `EXEC`, `MSET`,
              `MINC` or `DEL`, is refused when it takes more than 8 MiB of the journal, where a key has some bytes for
              each process that ever counted it.
            * `KEYS` is refused when more than 1,000,000 keys or 48 MiB of them match, or fewer that would take a 32nd of
              the heap; one call of `SCAN` looks at no more than 65,536 counters and ends early after 1 MiB of keys.
            * `MGET` and `EXISTS` see several keys at one moment; `DBSIZE`, `RANDOMKEY`, `KEYS` and `SCAN` see them one
              after the other, while others change them.
            * Messages of `PUBLISH` reach the clients of this node. A client has at most 16,384 subscriptions with 1 MiB of
              names.
            * Counters do not expire. `EXPIRE` and its like, `SETEX`, `SET` with `EX`, and `GETEX` with `EX` of a key that
              exists are refused; a transaction with one of them is refused as a whole, whether the key exists or not.
              `TTL` answers -1, or -2 where there is no key. A rate limit made of `INCR` and `EXPIRE` cannot work here.
            * What is not here is refused as Redis refuses what it does not know.
            """;

    private static final Map<String, String> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("counter", "Counters");
        GROUPS.put("string", "Values");
        GROUPS.put("generic", "Keys");
        GROUPS.put("transactions", "Transactions");
        GROUPS.put("pubsub", "Publish and subscribe");
        GROUPS.put("connection", "Connection");
        GROUPS.put("server", "Server");
        GROUPS.put("cluster", "Redis Cluster");
    }

    /// From which pages of dialogues, which are run as tests, a group shows the first.
    private static final Map<String, List<String>> EXAMPLES = Map.of(
            "counter", List.of("gcount.md", "pncount.md"),
            "string", List.of("redis.md"),
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
