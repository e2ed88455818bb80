package io.tallis.command.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// Scripts as transactions: which keys and commands they may use, what stays of them, and in which journal frame.
final class ScriptsTest {
    private static final String WINDOW = """
            redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
            local consumed = redis.call('incrby', KEYS[1], ARGV[1])
            local ttl = redis.call('pttl', KEYS[1])
            if ttl == -1 then
              redis.call('expire', KEYS[1], ARGV[2])
              ttl = 1000 * ARGV[2]
            end
            return {consumed, ttl}
            """;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    private String eval(String script, String... more) {
        return says("EVAL", script, more);
    }

    private String says(String command, String script, String... more) {
        String[] words = new String[more.length + 2];
        words[0] = command;
        words[1] = script;
        System.arraycopy(more, 0, words, 2, more.length);
        return client.says(Arrays.stream(words)
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    @Test
    void eval_ofALimiter_countsAndSetsTheDeadline() {
        String first = eval(WINDOW, "1", "k", "1", "60");
        String second = eval(WINDOW, "1", "k", "2", "60");

        assertThat(first).isEqualTo("1) (integer) 1\n2) (integer) 60000");
        assertThat(second).isEqualTo("1) (integer) 3\n2) (integer) 60000");
    }

    @Test
    void evalsha_ofAScriptThatWasEvaluated_runsIt() {
        eval("return ARGV[1]", "0", "x");

        String sha1 = Script.sha1("return ARGV[1]".getBytes(StandardCharsets.UTF_8));

        assertThat(client.says("EVALSHA " + sha1 + " 0 y")).isEqualTo("\"y\"");
        assertThat(client.says("EVALSHA " + sha1.toUpperCase(java.util.Locale.ROOT) + " 0 y"))
                .isEqualTo("\"y\"");
    }

    @Test
    void eval_writesItsChangesAsOneGroup() {
        server.journal().clear();

        eval("redis.call('incr', KEYS[1]) redis.call('set', KEYS[2], 5) return 1", "2", "a", "b");

        assertThat(server.journal())
                .startsWith("begin", "PNCOUNT a")
                .contains("PNCOUNT b")
                .endsWith("end");
        assertThat(server.journal().stream().filter("begin"::equals)).hasSize(1);
    }

    @Test
    void eval_thatFails_keepsWhatItChangedBefore() {
        String reply = eval("redis.call('incr', KEYS[1]) error('stop')", "1", "a");

        assertThat(reply).startsWith("(error) ERR user_script:1: stop script: ");
        assertThat(client.says("GET a")).isEqualTo("\"1\"");
    }

    @Test
    void call_ofAKeyThatIsNotDeclared_isRefused() {
        String reply = eval("return redis.call('incr', 'b')", "1", "a");

        assertThat(reply).startsWith("(error) ERR Script attempted to access the key 'b', which is not among its KEYS");
        assertThat(client.says("EXISTS b")).isEqualTo("(integer) 0");
    }

    @Test
    void call_ofOneOfManyKeys_isAllowed() {
        String[] words = new String[101];
        words[0] = "100";
        for (int i = 1; i <= 100; i++) {
            words[i] = "key:" + i;
        }

        assertThat(eval("return redis.call('incr', KEYS[77])", words)).isEqualTo("(integer) 1");
        assertThat(eval("return redis.pcall('incr', 'key:101')", words)).contains("which is not among its KEYS");
    }

    @Test
    void call_ofCommandsThatScriptsMayNotUse_isRefused() {
        for (String command :
                new String[] {"multi", "exec", "watch", "subscribe", "eval", "wait", "keys", "flushall", "auth", "quit"
                }) {
            String reply = eval("return redis.pcall('" + command + "', 'x', '0')", "0");

            assertThat(reply)
                    .as(command)
                    .matches("\\(error\\) ERR (This Redis command is not allowed from script"
                            + "|Wrong number of args calling Redis command from script|Unknown Redis command.*)");
        }
    }

    @Test
    void script_ofARestrictedUser_mayDoWhatTheUserMay() {
        client.says("ACL SETUSER web on nopass ~a* &x +@all -incr");
        client.says("AUTH web any");

        assertThat(eval("return redis.pcall('incr', KEYS[1])", "1", "a"))
                .isEqualTo("(error) ERR The user executing the script can't run this command or subcommand");
        assertThat(eval("return redis.pcall('publish', 'y', 1)", "0"))
                .isEqualTo("(error) ERR The user executing the script can't publish to the channel mentioned in the"
                        + " command");
        assertThat(eval("return redis.call('incrby', KEYS[1], 2)", "1", "a")).isEqualTo("(integer) 2");
    }

    @Test
    void aclCheckCmd_tellsWhatTheUserMayRun() {
        client.says("ACL SETUSER web on nopass ~a* +@all -incr");
        client.says("AUTH web any");

        assertThat(eval("return redis.acl_check_cmd('get', 'a')", "0")).isEqualTo("(integer) 1");
        assertThat(eval("return redis.acl_check_cmd('get', 'b')", "0")).isEqualTo("(nil)");
        assertThat(eval("return redis.acl_check_cmd('incr', 'a')", "0")).isEqualTo("(nil)");
        assertThat(eval("return redis.acl_check_cmd('incr')", "0")).isEqualTo("(nil)");
    }

    @Test
    void eval_ofLongFields_isRefusedTheRest_whenAJournalFrameIsFull() {
        String reply = eval(
                "local s = string.rep('x', 50000)" + " for i = 1, 300 do redis.call('hincrby', KEYS[1], s, 1) end",
                "1",
                "h");

        assertThat(reply).contains("bytes of counters at once");
    }

    @Test
    void eval_ofManyTokens_isRefusedTheRest_whenAJournalFrameIsFull() {
        String reply =
                eval("for i = 1, 100000 do redis.call('pncount', 'inc', KEYS[1], 1, 'IDMP', 'p', i) end", "1", "a");

        assertThat(reply).contains("bytes of counters at once");
    }

    @Test
    void evalRo_ofAChange_isRefused() {
        assertThat(says("EVAL_RO", "return redis.call('incr', KEYS[1])", "1", "a"))
                .startsWith("(error) ERR Write commands are not allowed from read-only scripts.");
        assertThat(says("EVAL_RO", "return redis.call('get', KEYS[1])", "1", "a"))
                .isEqualTo("(nil)");
        assertThat(eval("#!lua flags=no-writes\nreturn redis.call('incr', KEYS[1])", "1", "a"))
                .startsWith("(error) ERR Write commands are not allowed from read-only scripts.");
    }

    @Test
    void eval_withTheFlagThatUpstashsLimiterSends_runs() {
        assertThat(eval("#!lua flags=allow-key-locking\nreturn redis.call('incr', KEYS[1])", "1", "a"))
                .isEqualTo("(integer) 1");
        assertThat(eval("#!lua flags=other\nreturn 1", "0"))
                .isEqualTo("(error) ERR Unexpected flag in script shebang: other");
    }

    @Test
    void eval_whileChangesAreRefused_mayRead() {
        server.refuseWrites("MISCONF no disk");

        assertThat(eval("return redis.call('incr', KEYS[1])", "1", "a")).startsWith("(error) MISCONF no disk script: ");
        assertThat(eval("return redis.call('get', KEYS[1])", "1", "a")).isEqualTo("(nil)");
    }

    @Test
    void eval_whenMemoryIsFull_isRefusedTheChange() {
        client.says("INCR b");
        server.maxMemory(1);

        assertThat(eval("return redis.call('incr', KEYS[1])", "1", "a"))
                .startsWith("(error) OOM command not allowed when used memory > 'maxmemory'. script: ");
    }

    @Test
    void time_withinAScript_standsStill() {
        server.commandsTake(5_000);

        assertThat(eval(
                        "local a = redis.call('time') for i = 1, 10 do redis.call('get', KEYS[1]) end"
                                + " local b = redis.call('time') return a[1] == b[1] and a[2] == b[2]",
                        "1",
                        "a"))
                .isEqualTo("(integer) 1");
    }

    @Test
    void exec_runsScriptsWithTheOtherCommands() {
        client.says("MULTI");
        client.says("INCR a");
        eval("return redis.call('incrby', KEYS[1], 10)", "1", "a");

        assertThat(client.says("EXEC")).isEqualTo("1) (integer) 1\n2) (integer) 11");
    }

    @Test
    void exec_ofManyScripts_sharesTheBoundOfSteps() {
        client.says("MULTI");
        for (int i = 0; i < 8; i++) {
            eval("for i = 1, 1e5 do end return 'done'", "0");
        }

        assertThat(client.says("EXEC")).contains("1) \"done\"").contains("8) (error) ERR Script stopped");
    }

    @Test
    void watch_ofAKeyThatAScriptChanges_failsTheTransaction() {
        client.says("WATCH a");
        eval("return redis.call('incr', KEYS[1])", "1", "a");
        client.says("MULTI");
        client.says("GET a");

        assertThat(client.says("EXEC")).isEqualTo("(nil)");
    }

    @Test
    void eval_whoseChangesExceedAJournalFrame_isRefusedTheRest() {
        String reply = eval(
                "local text = string.rep('x', 60000) for i = 1, 200 do redis.call('set', KEYS[1], text) end return 1",
                "1",
                "a");

        assertThat(reply).startsWith("(error) ERR this changes more than");
        assertThat(client.says("STRLEN a")).isEqualTo("(integer) 60000");
    }

    @Test
    void replies_becomeValuesOfLua() {
        client.says("SET number 5");
        client.says("SET text abc");

        assertThat(eval(
                        "return {type(redis.call('get', KEYS[1])), type(redis.call('incr', KEYS[1])),"
                                + " redis.call('set', KEYS[1], 1).ok, tostring(redis.call('get', 'none')),"
                                + " redis.pcall('incr', KEYS[2]).err}",
                        "3",
                        "number",
                        "text",
                        "none"))
                .isEqualTo("""
                        1) "string"
                        2) "number"
                        3) "OK"
                        4) "false"
                        5) "ERR value is not an integer or out of range\"""");
        assertThat(eval("redis.setresp(3) return tostring(redis.call('get', KEYS[1]))", "1", "none"))
                .isEqualTo("\"nil\"");
    }

    @Test
    void script_loadExistsAndFlush() {
        String sha1 = Script.sha1("return 7".getBytes(StandardCharsets.UTF_8));

        assertThat(client.says("EVALSHA " + sha1 + " 0"))
                .isEqualTo("(error) NOSCRIPT No matching script. Please use EVAL.");
        client.says(java.util.List.of(
                "SCRIPT".getBytes(StandardCharsets.UTF_8),
                "LOAD".getBytes(StandardCharsets.UTF_8),
                "return 7".getBytes(StandardCharsets.UTF_8)));
        assertThat(client.says("SCRIPT EXISTS " + sha1 + " abc")).isEqualTo("1) (integer) 1\n2) (integer) 0");
        assertThat(client.says("EVALSHA " + sha1 + " 0")).isEqualTo("(integer) 7");
        assertThat(client.says("SCRIPT FLUSH")).isEqualTo("OK");
        assertThat(client.says("SCRIPT EXISTS " + sha1)).isEqualTo("1) (integer) 0");
        assertThat(client.says("SCRIPT KILL")).isEqualTo("(error) NOTBUSY No scripts in execution right now.");
    }
}
