package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Passwords in requests are hidden in the slow log, as in Redis.
final class SecretsTest {
    private final FakeServer server = new FakeServer();

    @Test
    void passwords_areHidden() {
        assertThat(slow("AUTH hush")).isEqualTo("AUTH (redacted)");
        assertThat(slow("auth default hush")).isEqualTo("auth (redacted) (redacted)");
        assertThat(slow("HELLO 2 AUTH default hush SETNAME me"))
                .isEqualTo("HELLO 2 AUTH (redacted) (redacted) SETNAME me");
        assertThat(slow("acl setuser bob on >hush +get"))
                .isEqualTo("acl setuser (redacted) (redacted) (redacted) (redacted)");
        assertThat(slow("CONFIG SET timeout 5 RequirePass hush"))
                .isEqualTo("CONFIG SET timeout 5 RequirePass (redacted)");
    }

    @Test
    void othersWords_areShown() {
        assertThat(slow("HELLO 2 SETNAME me")).isEqualTo("HELLO 2 SETNAME me");
        assertThat(slow("CONFIG SET timeout 5")).isEqualTo("CONFIG SET timeout 5");
        assertThat(slow("ACL GETUSER bob")).isEqualTo("ACL GETUSER bob");
        assertThat(slow("INCRBY auth 2")).isEqualTo("INCRBY auth 2");
    }

    private String slow(String request) {
        server.slowerThan(0, 0);
        server.connect().says(request);
        List<String> words = server.slowLog().newest(1).getFirst().words().stream()
                .map(word -> new String(word, StandardCharsets.UTF_8))
                .toList();
        return String.join(" ", words);
    }
}
