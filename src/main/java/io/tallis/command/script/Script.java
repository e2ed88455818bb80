package io.tallis.command.script;

import io.tallis.command.CommandError;
import io.tallis.script.LuaError;
import io.tallis.script.Prototype;
import io.tallis.script.RedisLibrary;
import io.tallis.script.Sandbox;
import java.nio.charset.StandardCharsets;

/// A script, compiled. Immutable, and shared by all event loops.
record Script(String sha1, Prototype prototype, boolean readsOnly, long bytes) {
    /// Of a longer text, compiling would take long.
    private static final int MOST_TEXT = 1 << 18;

    private static final String SHEBANG = "#!";

    /// Throws a [CommandError] if the text is no script.
    static Script compile(String sha1, byte[] text) {
        if (text.length > MOST_TEXT) {
            throw new CommandError("ERR a script is limited to " + MOST_TEXT + " bytes");
        }
        boolean readsOnly = readsOnly(text);
        try {
            Prototype prototype = Sandbox.compile(text);
            return new Script(sha1, prototype, readsOnly, prototype.bytes());
        } catch (LuaError error) {
            throw new CommandError("ERR Error compiling script (new function): " + error.getMessage());
        }
    }

    static String sha1(byte[] text) {
        return RedisLibrary.sha1(text);
    }

    /// Reads the first line of a script, if it is `#!lua flags=...`. Returns whether it has the flag `no-writes`.
    private static boolean readsOnly(byte[] text) {
        if (text.length < SHEBANG.length() || text[0] != '#' || text[1] != '!') {
            return false;
        }
        int end = 0;
        while (end < text.length && text[end] != '\n') {
            end++;
        }
        if (end == text.length) {
            throw new CommandError("ERR Invalid script shebang");
        }
        String[] words =
                new String(text, 0, end, StandardCharsets.UTF_8).strip().split(" +", -1);
        if (!words[0].equals("#!lua")) {
            throw new CommandError("ERR Unexpected engine in script shebang: " + words[0]);
        }
        boolean readsOnly = false;
        for (int i = 1; i < words.length; i++) {
            if (!words[i].startsWith("flags=")) {
                throw new CommandError("ERR Unknown lua shebang option: " + words[i]);
            }
            readsOnly |= hasNoWrites(words[i].substring("flags=".length()));
        }
        return readsOnly;
    }

    private static boolean hasNoWrites(String flags) {
        boolean found = false;
        for (String flag : flags.split(",", -1)) {
            switch (flag) {
                case "no-writes" -> found = true;
                case "", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys" -> {}
                // Of Upstash's servers; their rate limiter sends it. Every script locks its keys here.
                case "allow-key-locking" -> {}
                default -> throw new CommandError("ERR Unexpected flag in script shebang: " + flag);
            }
        }
        return found;
    }
}
