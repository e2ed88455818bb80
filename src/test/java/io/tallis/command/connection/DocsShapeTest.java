package io.tallis.command.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The types within the reply of `COMMAND DOCS`, without which redis-cli exits.
final class DocsShapeTest {
    private static final Set<String> TYPES =
            Set.of("key", "integer", "string", "pattern", "pure-token", "oneof", "block");

    private final FakeServer server = new FakeServer();

    @Test
    void docs_haveTheShapeThatRedisCliExpects() {
        FakeClient client = server.connect();
        client.says("HELLO 3");

        ReplyTree docs = ReplyTree.of(server, client, "COMMAND DOCS");

        assertThat(docs.pairs()).hasSize(server.facts().commands().size());
        docs.pairs().forEach(DocsShapeTest::checkEntry);
    }

    private static void checkEntry(ReplyTree name, ReplyTree entry) {
        Map<ReplyTree, ReplyTree> fields = entry.pairs();
        for (String field : List.of("summary", "since", "group", "complexity")) {
            assertThat(entry.field(field).kind()).as(name.text() + " " + field).isEqualTo('$');
            assertThat(entry.field(field).text()).isNotEmpty();
        }
        assertThat(entry.field("arguments").kind()).isEqualTo('*');
        entry.field("arguments").elements().forEach(DocsShapeTest::checkArgument);
        ReplyTree subcommands = entry.field("subcommands");
        if (subcommands != null) {
            subcommands.pairs().forEach(DocsShapeTest::checkEntry);
        }
        ReplyTree docFlags = entry.field("doc_flags");
        if (docFlags != null) {
            assertThat(docFlags.elements()).extracting(ReplyTree::text).containsExactly("deprecated");
            assertThat(entry.field("deprecated_since").text()).matches("\\d+\\.\\d+\\.\\d+");
            assertThat(entry.field("replaced_by").text()).isNotEmpty();
        }
        assertThat(fields).hasSize(5 + (docFlags == null ? 0 : 3) + (subcommands == null ? 0 : 1));
    }

    private static void checkArgument(ReplyTree argument) {
        assertThat(argument.kind()).isEqualTo('%');
        assertThat(argument.field("name").kind()).isEqualTo('$');
        assertThat(argument.field("type").text()).isIn(TYPES);
        assertThat(Set.of("name", "type", "display_text", "key_spec_index", "token", "flags", "arguments"))
                .containsAll(
                        argument.pairs().keySet().stream().map(ReplyTree::text).toList());
        ReplyTree flags = argument.field("flags");
        if (flags != null) {
            assertThat(flags.elements()).allSatisfy(flag -> {
                assertThat(flag.kind()).isEqualTo('+');
                assertThat(flag.text()).isIn("optional", "multiple");
            });
        }
        ReplyTree parts = argument.field("arguments");
        boolean composed =
                Set.of("oneof", "block").contains(argument.field("type").text());
        assertThat(parts != null).isEqualTo(composed);
        if (parts != null) {
            parts.elements().forEach(DocsShapeTest::checkArgument);
        }
    }

    @Test
    void command_describesEachInTenElements() {
        FakeClient client = server.connect();

        ReplyTree all = ReplyTree.of(server, client, "COMMAND");

        assertThat(all.elements()).hasSize(server.facts().commands().size()).allSatisfy(DocsShapeTest::checkCommand);
    }

    private static void checkCommand(ReplyTree command) {
        char list = command.elements().get(9).elements().isEmpty() ? '~' : '*';
        assertThat(command.elements())
                .extracting(ReplyTree::kind)
                .containsExactly('$', ':', '~', ':', ':', ':', '~', '~', '~', list);
        assertThat(command.elements().get(2).elements())
                .allSatisfy(flag -> assertThat(flag.kind()).isEqualTo('+'));
        command.elements().get(9).elements().forEach(DocsShapeTest::checkCommand);
    }
}
