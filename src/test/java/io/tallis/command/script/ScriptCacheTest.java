package io.tallis.command.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ScriptCacheTest {
    private final ScriptCache cache = new ScriptCache();

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void of_manyScripts_forgetsThoseThatAreNotUsed() {
        byte[] used = text("return 'used'");
        String sha1 = cache.of(used).sha1();

        for (int i = 0; i < 1_000; i++) {
            cache.of(text("local t = {" + "1,".repeat(5_000) + "} return " + i));
            cache.find(sha1);
        }

        assertThat(cache.bytes()).isLessThanOrEqualTo(32 << 20);
        assertThat(cache.size()).isLessThan(1_000);
        assertThat(cache.find(sha1)).isNotNull();
    }

    @Test
    void clear_forgetsAll() {
        cache.of(text("return 1"));

        cache.clear();

        assertThat(cache.size()).isZero();
        assertThat(cache.bytes()).isZero();
    }
}
