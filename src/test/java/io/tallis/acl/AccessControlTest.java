package io.tallis.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.acl.AccessControl.Line;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What transcripts do not show: files, the log, clients of users that change.
final class AccessControlTest {
    private final FakeServer server = new FakeServer();
    private final AccessControl access = server.access();
    private final FakeClient admin = server.connect();

    @TempDir
    Path dir;

    private FakeClient userWith(String rules) {
        admin.says("ACL SETUSER u on nopass " + rules);
        FakeClient client = server.connect();
        assertThat(client.says("AUTH u x")).isEqualTo("OK");
        return client;
    }

    @Test
    void change_appliesToOpenConnections() {
        FakeClient client = userWith("~* +get");
        assertThat(client.says("GET a")).isEqualTo("(nil)");

        admin.says("ACL SETUSER u -get +set");

        assertThat(client.says("GET a")).startsWith("(error) NOPERM");
        assertThat(client.says("SET a 1")).isEqualTo("OK");
    }

    @Test
    void client_ofADeletedUser_isClosedAndDeniedEverything() {
        FakeClient client = userWith("~* +@all");
        FakeClient bystander = server.connect();

        admin.says("ACL DELUSER u");

        assertThat(client.isClosed()).isTrue();
        assertThat(client.says("GET a")).startsWith("(error) NOPERM");
        assertThat(bystander.isClosed()).isFalse();
    }

    @Test
    void subscriber_isClosed_whenAChannelIsTakenAway() {
        FakeClient one = userWith("&* +subscribe +psubscribe");
        one.says("SUBSCRIBE news");
        FakeClient other = server.connect();
        other.says("AUTH u x");
        other.says("PSUBSCRIBE n*");

        admin.says("ACL SETUSER u resetchannels &news");

        assertThat(one.isClosed()).isFalse();
        assertThat(other.isClosed()).isTrue();
    }

    @Test
    void denials_thatAreAlike_areOneEntry() {
        FakeClient client = userWith("~a +get");
        client.says("GET x");
        client.says("GET y");
        server.pass(30);
        client.says("GET x");
        server.pass(61);
        client.says("GET y");

        List<AccessLog.Entry> entries = access.log().newest(10);

        assertThat(entries).extracting(entry -> entry.event().object()).containsExactly("y", "x", "y");
        assertThat(entries).extracting(AccessLog.Entry::count).containsExactly(1L, 2L, 1L);
        assertThat(access.log().ageSeconds(entries.get(1))).isEqualTo(61);
        assertThat(entries.getFirst().client()).contains(" user=u ").doesNotContain("\n");
    }

    @Test
    void log_isBounded() {
        server.mostDenials(3);
        FakeClient client = userWith("+ping");
        for (int i = 0; i < 20; i++) {
            client.says("AUTH n" + i + " " + "x");
        }
        client.says("AUTH " + "n".repeat(5000) + " x");

        assertThat(access.log().newest(100)).hasSize(3);
        assertThat(access.log().newest(1).getFirst().event().user()).hasSize(1024);
        server.mostDenials(0);
        admin.says("ACL LOG RESET");
        client.says("AUTH n x");
        assertThat(access.log().newest(100)).isEmpty();
    }

    @Test
    void logEntry_hasTheFieldsOfRedis() {
        userWith("~a +get").says("DEL a");

        assertThat(admin.says("ACL LOG 1"))
                .contains(
                        "\"count\"",
                        "\"reason\"",
                        "\"command\"",
                        "\"context\"",
                        "\"toplevel\"",
                        "\"object\"",
                        "\"del\"")
                .contains("\"username\"", "\"u\"", "\"age-seconds\"", "\"client-info\"", "cmd=del", "\"entry-id\"");
    }

    @Test
    void savedUsers_areReadAgain() throws IOException {
        Path file = dir.resolve("users.acl");
        access.setUser("u", List.of("on", ">p", "~a\u00ff*", "%R~b", "&c", "+@read", "-mget", "(~d +set)"));
        List<String> before = access.lines();

        AclFile users = new AclFile(access, file);
        users.save();
        access.deleteUsers(List.of("u"), admin.client());
        List<String> mistakes = users.load(null);

        assertThat(mistakes).isEmpty();
        assertThat(access.lines()).isEqualTo(before);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(dir).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void fileWithAMistake_changesNothing() {
        access.setUser("u", List.of("on", "+get"));
        List<String> before = access.lines();

        List<String> mistakes = access.define(
                List.of(
                        new Line("f:1", "user new on +get"),
                        new Line("f:2", ""),
                        new Line("f:3", "user u +nosuch"),
                        new Line("f:4", "usr x"),
                        new Line("f:5", "user new on"),
                        new Line("f:6", "user y (+get")),
                null);

        assertThat(mistakes)
                .containsExactly(
                        "f:3: Unknown command or category name in ACL, at '+nosuch'.",
                        "f:4 should start with user keyword followed by the username.",
                        "f:5: Duplicate user found. A user can only be defined once in config files, at 'user'.",
                        "f:6: Unmatched parenthesis in acl selector starting at '(+get'.");
        assertThat(access.lines()).isEqualTo(before);
    }

    @Test
    void load_closesClientsOfUsersThatAreGone_andKeepsOthers() {
        FakeClient gone = userWith("+@all");
        admin.says("ACL SETUSER v on nopass +ping");
        FakeClient kept = server.connect();
        kept.says("AUTH v x");

        access.define(List.of(new Line("f:1", "user v on nopass +echo")), null);

        assertThat(gone.isClosed()).isTrue();
        assertThat(kept.isClosed()).isFalse();
        assertThat(kept.says("PING")).startsWith("(error) NOPERM");
        assertThat(kept.says("ECHO a")).isEqualTo("\"a\"");
        assertThat(admin.says("ACL LIST")).contains("user default on nopass ~* &* +@all");
    }

    @Test
    void defaultUser_thatNoLineDefines_hasTheRequiredPassword() {
        access.defaultPassword("hush");

        access.define(List.of(new Line("f:1", "user v on nopass +echo")), null);

        assertThat(server.connect().says("GET a")).isEqualTo("(error) NOAUTH Authentication required.");
        assertThat(access.isDefaultPassword("hush")).isTrue();
    }

    @Test
    void password_isRotatedByTwo() {
        access.defaultPassword("old");
        access.setUser("default", List.of(">new"));
        assertThat(List.of(access.isDefaultPassword("old"), access.isDefaultPassword("new")))
                .containsOnly(true);

        access.setUser("default", List.of("<old"));

        assertThat(access.isDefaultPassword("old")).isFalse();
        assertThat(access.isDefaultPassword("")).isFalse();
        assertThat(server.connect().says("AUTH old")).startsWith("(error) WRONGPASS");
        assertThat(server.connect().says("AUTH new")).isEqualTo("OK");
    }

    @Test
    void certificate_ofAUser_authenticates_andAnyOtherIsLogged() {
        access.defaultPassword("hush");
        access.setUser("node", List.of("on", "+ping"));
        access.setUser("off", List.of("+ping"));
        FakeClient node = server.connect();
        FakeClient off = server.connect();

        access.certified("node", node.client());
        access.certified("off", off.client());

        assertThat(node.says("PING")).isEqualTo("PONG");
        assertThat(off.says("PING")).startsWith("(error) NOAUTH");
        assertThat(access.log().newest(9))
                .extracting(entry -> entry.event().reason())
                .containsExactly("tls-cert");
    }

    @Test
    void names_thatWouldBreakLines_areRefused() {
        for (String name : List.of("a\tb", "\"a", "'a", "")) {
            assertThat(AccessControl.isName(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                    .as(name)
                    .isFalse();
        }
        assertThat(AccessControl.isName(new byte[] {(byte) 0xFF})).isFalse();
        assertThat(AccessControl.isName("j\u00fcrgen".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isTrue();
    }

    @Test
    void fileThatIsMissing_isAnError() {
        assertThatThrownBy(() -> new AclFile(access, dir.resolve("none")).load(null))
                .isInstanceOf(IOException.class);
    }

    @Test
    void fileThatChanges_isUsedWhenItStaysTheSame() throws IOException {
        Path file = Files.writeString(dir.resolve("users.acl"), "user u on >old ~* +@read\n");
        AclFile users = new AclFile(access, file);
        assertThat(users.load(null)).isEmpty();
        List<String> first = access.lines();
        access.setUser("later", List.of("on"));
        users.refresh();
        users.refresh();
        List<String> unchanged = access.lines();

        Files.writeString(file, "user u on >new ~* +@read\n");
        users.refresh();
        List<String> seenOnce = access.lines();
        users.refresh();
        List<String> settled = access.lines();
        Files.writeString(file, "user u on nonsense\n");
        users.refresh();
        users.refresh();

        assertThat(unchanged).hasSize(first.size() + 1);
        assertThat(seenOnce).isEqualTo(unchanged);
        assertThat(settled).hasSameSizeAs(first).isNotEqualTo(first);
        assertThat(access.lines()).isEqualTo(settled);
    }
}
