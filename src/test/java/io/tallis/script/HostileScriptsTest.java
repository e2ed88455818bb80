package io.tallis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever a script does, it ends soon, takes little memory, and leaves the next script what it finds.
final class HostileScriptsTest {
    private static final long STEPS = 1_000_000;

    /// As an event loop has.
    private static final long STACK_BYTES = 1 << 20;

    private static final Duration LONG = Duration.ofSeconds(10);

    private final Sandbox sandbox = new Sandbox(new NoCommands());

    private static final class NoCommands implements Host {
        @Override
        public LuaValue call(LuaString[] words) {
            return new LuaTable().with("ok", words[0]);
        }

        @Override
        public boolean knows(LuaString[] words) {
            return false;
        }

        @Override
        public boolean mayRun(LuaString[] words) {
            return true;
        }

        @Override
        public String version() {
            return "7.0.15";
        }

        @Override
        public void protocol(int version) {}

        @Override
        public void log(int level, String text) {}
    }

    private LuaValue run(String script) {
        Prototype prototype = Sandbox.compile(script.getBytes(StandardCharsets.UTF_8));
        return sandbox.run(prototype, new LuaTable(), new LuaTable(), STEPS);
    }

    /// The error that ends a script, run with the stack of an event loop.
    private Throwable failure(String script) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        run(script);
                    } catch (LuaError | ScriptStopped | StackOverflowError | OutOfMemoryError error) {
                        failure.set(error);
                    }
                },
                "script",
                STACK_BYTES);
        thread.start();
        thread.join(LONG.toMillis());
        assertThat(thread.isAlive()).as("it runs on").isFalse();
        return failure.get();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "while true do end",
                "repeat until false",
                "for i = 1, 1e18 do end",
                "local function f() return f() end return f()",
                "while true do pcall(function() while true do end end) end",
                "while true do pcall(error) end",
                "while true do xpcall(error, function() while true do end end) end",
                "local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end",
                "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
                "local s = 'x' while true do s = s .. s end",
                "local s = 'xxxxxxxx' for i = 1, 100 do s = s .. s end",
                "return string.rep('x', 1e9)",
                "return string.rep(string.rep('x', 1e5), 1e5)",
                "return #string.rep('x', 2 ^ 31)",
                "local t = {} for i = 1, 1e9 do t[i] = i end",
                "local t = {} while true do t[#t + 1] = {} end",
                "local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = true end",
                "local s = string.rep('a', 1e5) local t = {} for i = 1, 1e5 do t[i] = s end return table.concat(t)",
                "local t = {} for i = 1, 1e3 do t[i] = 'x' end while true do table.concat(t, string.rep('x', 1e3)) end",
                "local s = string.rep('a', 1e5) return string.find(s, string.rep('a-', 40) .. 'b')",
                "local s = string.rep('a', 1e5) return string.find(s, '.-.-.-.-.-b')",
                "local s = string.rep('a', 1e5) return string.gsub(s, '(a*)*b', '%1')",
                "local s = string.rep('(', 1e5) return string.find(s, '%b()')",
                "return string.gsub(string.rep('a', 1e5), 'a', string.rep('b', 1e5))",
                "return string.gsub(string.rep('a', 1e5), '', function() return string.rep('b', 1e5) end)",
                "local s = string.rep('ab', 1e5) while true do string.find(s, 'c', 1, true) end",
                "while true do string.format('%99.99f', 1e308) end",
                "while true do string.format('%99s', string.rep('x', 1e5)) end",
                "local t = {} for i = 1, 1e4 do t[i] = i end while true do table.insert(t, 1, 0) end",
                "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.remove(t, 1) end",
                "local t = {} for i = 1, 1e5 do t[i] = -i end while true do table.sort(t) end",
                "local t = {} for i = 1, 7000 do t[i] = i end while true do unpack(t) end",
                "local t = {} for i = 1, 5e4 do t['k' .. i] = 1 end for k in pairs(t) do t[k] = nil end"
                        + " while true do next(t) end",
                "local t = {} for i = 1, 1e3 do t[i] = string.rep('x', 1e3) end while true do cjson.encode(t) end",
                "local s = '[' .. string.rep('1,', 1e5) .. '1]' while true do cjson.decode(s) end",
                "local s = string.rep('1', 1e5) while true do pcall(cjson.decode, s .. 'x') end",
                "local t = {} for i = 1, 1e3 do t[i] = i end while true do cmsgpack.pack(t) end",
                "while true do struct.pack('c100000', string.rep('x', 1e5)) end",
                "while true do struct.unpack(string.rep('x', 1e5), string.rep('x', 1e5)) end",
                "local s = string.rep('x', 1e5) while true do redis.sha1hex(s) end",
                "local s = string.rep('local a = 1 ', 1e4) while true do loadstring(s) end",
                "while true do load(function() return string.rep(' ', 1e5) end) end",
                "while true do redis.call('x') end",
                "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function()"
                        + " return t[1] end) end",
            })
    void script_thatNeverEnds_isStopped(String script) throws InterruptedException {
        assertThat(failure(script)).isInstanceOf(ScriptStopped.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "local function f(n) return 1 + f(n + 1) end return f(1)",
                "local function f() return pcall(f) end error(f())",
                "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
                "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x",
                "local t = setmetatable({}, {}) getmetatable(t).__tostring = function() return tostring(t) end"
                        + " return tostring(t)",
                "local t = setmetatable({}, {}) getmetatable(t).__eq = function(a, b) return a == b end"
                        + " return t == setmetatable({}, getmetatable(t))",
                "local t = setmetatable({}, {}) getmetatable(t).__concat = function(a, b) return a .. b end return t .. 1",
                "local function f() return coroutine.wrap(f)() end return f()",
                "local function f(s) return s:gsub('.', f) end return f('x')",
                "local function f() return table.sort({1, 2}, f) end return f()",
                "local function f() return load(f) end error(f())",
                "return cjson.decode(string.rep('[', 1e5))",
                "local t = {} t[1] = t return cjson.encode(t)",
                "return cmsgpack.unpack(string.rep('\\145', 1e5))",
                "return string.find(string.rep('a', 1e3), string.rep('(a', 1e3))",
                "return string.find(string.rep('a', 1e3), string.rep('a?', 1e3))",
                "return unpack({}, 1, 1e8)",
                "return unpack({}, -2147483648, 2147483647)",
                "return bit.tohex(1, -2147483648, 5) .. nil",
                "return struct.pack('i2147483648', 1)",
                "return struct.unpack('c2147483647', 'x')",
                "return struct.unpack('I4', 'abcd', 2147483647)",
                "return struct.unpack('>I2147483647', 'abcd')",
                "return cmsgpack.unpack('\\221\\255\\255\\255\\255')",
                "return cmsgpack.unpack('\\219\\255\\255\\255\\255x')",
                "return cmsgpack.unpack_limit('abc', 1, -1)",
                "return cmsgpack.unpack_limit('abc', 1, 2147483647)",
                "return string.format('%1000000d', 1)",
                "return string.format('%.1000000f', 1)",
                "return loadstring('\\27Lua')()",
                "return loadstring(string.rep('(', 1e4))()",
                "return loadstring('return ' .. string.rep('{', 1e4))()",
                "return loadstring('return ' .. string.rep('not ', 1e4) .. '1')()",
                "return loadstring(string.rep('do ', 1e4))()",
                "return loadstring('return ' .. string.rep('a..', 1e4) .. 'a')()",
                "return loadstring('return ' .. string.rep('function() ', 1e3))()",
                "local t = {} for i = 1, 300 do t[i] = 'a' .. i end return loadstring('local ' .. table.concat(t, ','))()",
                "getmetatable('').__index = nil",
                "getmetatable('').__index.rep = nil",
                "getmetatable(_G).__index = nil",
                "string.rep = nil",
                "redis.call = nil",
                "cjson.encode = nil",
                "_G.x = 1",
                "rawset(_G, 'x', 1)",
                "rawset(string, 'x', 1)",
                "setmetatable(_G, nil)",
                "setmetatable(string, {})",
                "table.insert(redis, 1)",
                "table.sort(setmetatable(_G, {}))",
                "return os.time()",
                "return io.open('/etc/passwd')",
                "return require('os')",
                "return dofile('/etc/passwd')",
                "return debug.getinfo(1)",
                "return getfenv(1)",
                "return setfenv(1, {})",
                "return newproxy()",
                "return package.loaded",
                "return string.dump(function() end)",
            })
    void script_thatGoesTooFar_fails(String script) throws InterruptedException {
        assertThat(failure(script)).isInstanceOf(LuaError.class);
    }

    /// Each would take a minute, or a gigabyte, if what it repeats cost no more than its instructions.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "local s = string.rep('x', 4e6) local t = {}"
                        + " while true do local ok, e = pcall(function() error(s) end) t[#t + 1] = e end",
                "local s = string.rep('x', 4e6) while true do pcall(function() assert(false, s) end) end",
                "local s = string.rep('x', 4e6) while true do pcall(function() return _G[s] end) end",
                "local s = string.rep('x', 4e6) while true do pcall(coroutine.wrap(function() error(s) end)) end",
                "local s = string.rep('x', 4e6) while true do redis.error_reply(s) end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s while true do local _ = a == b end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s while true do rawequal(a, b) end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s local t = {[a] = 1}"
                        + " while true do local _ = t[b] end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s local t = {[a] = 1}"
                        + " while true do t[b] = 1 end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s local t = {[a] = 1}"
                        + " while true do rawget(t, b) next(t, b) end",
                "local s = string.rep('x', 4e6) while true do string.find('x', s) end",
                "local s = string.rep('x', 4e6) local a, b = 'a' .. s, 'a' .. s while true do string.find(a, b) end",
                "local s = '[' .. string.rep('x', 4e6) .. ']' while true do string.find('', s) end",
                "local s = '%' .. string.rep('-', 4e6) while true do pcall(string.format, s, 1) end",
                "local s = string.rep('1', 4e6) while true do tonumber(s, 16) end",
                "local s = string.rep(' ', 4e6) while true do tonumber(s) end",
                "local s = '0.' .. string.rep('1', 500) while true do local _ = s + 1 end",
                "local s = string.rep('x', 4e6) while true do load(function() end, s) end",
                "local s = string.rep('x', 4e6) while true do pcall(struct.unpack, 's', s) end",
                "local s = 'c' .. string.rep('0', 4e6) while true do pcall(struct.size, s) end",
                "local function f(n) if n == 0 then while true do pcall(error, 'x', 2 ^ 31 - 1) end end"
                        + " return 1 + f(n - 1) end f(15000)",
                "local s = string.rep('x', 2e5) local function f(...) while true do select('#', ...) end end"
                        + " f(string.byte(s, 1, -1))",
                "local s = string.rep('x', 2e5) local function f(n) if n == 0 then return string.byte(s, 1, -1) end"
                        + " return 1, f(n - 1) end while true do f(15000) end",
                "local t = {} for i = 1, 3e4 do t['k' .. i] = 1 end for k in pairs(t) do t[k] = nil end"
                        + " while true do table.foreach(t, error) end",
                "local t = {} for i = 1, 1e4 do t[i * 1.7e-300] = 1 end while true do cjson.encode(t) end",
                "local t = {} for i = 1, 200 do t[i] = 1.7e-300 end while true do redis.call(unpack(t)) end",
                "while true do pcall(function() error(1.7e-300) end) end",
                "local t = {} for i = 1, 5e4 do t[struct.unpack('>d', struct.pack('>I4I4', i, i))] = 1 end"
                        + " while true do local _ = t[struct.unpack('>d', struct.pack('>I4I4', 1e6, 1e6))] end",
                "local t = {} for i = 1, 99 do t[i] = setmetatable({}, {}) end"
                        + " for i = 1, 98 do getmetatable(t[i]).__index = t[i + 1] end"
                        + " while true do local _ = t[1].x end",
            })
    void script_thatRepeatsWhatTakesLong_isStoppedSoon(String script) throws InterruptedException {
        long start = System.nanoTime();

        assertThat(failure(script)).isInstanceOf(ScriptStopped.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void script_thatAskedForNestedData_isBoundedAsWell() throws InterruptedException {
        String deep = "local s = string.rep('[', 200) .. string.rep(']', 200)"
                + " local function f(n) if n == 0 then return cjson.decode(s) end local ok, v = pcall(f, n - 1)"
                + " return v end f(190)";

        assertThat(failure(deep)).isNull();
    }

    @Test
    void script_afterAHostileOne_findsAllAsItWas() throws InterruptedException {
        failure("KEYS = nil");
        failure("KEYS[1] = 'x' ARGV.y = 1 cjson.encode_max_depth(1) while true do end");

        assertThat(run("return #KEYS + #ARGV")).isEqualTo(LuaNumber.of(0));
        assertThat(run("return cjson.encode({{}})")).isEqualTo(LuaString.of("[{}]"));
        assertThat(run("return ('x'):rep(3)")).isEqualTo(LuaString.of("xxx"));
    }

    @Test
    void kill_endsAScript_whateverItCatches() throws InterruptedException {
        Prototype endless = Sandbox.compile("while true do pcall(error) end".getBytes(StandardCharsets.UTF_8));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                sandbox.run(endless, new LuaTable(), new LuaTable(), Long.MAX_VALUE / 2);
            } catch (ScriptStopped stopped) {
                failure.set(stopped);
            }
        });
        thread.start();
        while (thread.isAlive()) {
            sandbox.machine().kill();
            Thread.onSpinWait();
        }

        assertThat(failure.get()).hasMessage("ERR Script killed by user with SCRIPT KILL.");
    }

    @Test
    void kill_beforeTheFirstStep_endsTheScript() throws InterruptedException {
        sandbox.machine().kill();

        assertThat(failure("for i = 1, 1e5 do end")).hasMessageContaining("Script killed by user");
        sandbox.machine().spare();
        assertThat(failure("for i = 1, 1e5 do end")).isNull();
    }

    @Test
    void random_isTheSameInEachRun() {
        String script = "return tostring(math.random()) .. math.random(1000)";

        assertThat(run(script)).isEqualTo(run(script));
    }

    @Test
    void traversal_isInTheOrderOfInsertion() {
        assertThat(run("local t = {} for _, k in ipairs({'z', 'a', 'm', 'b'}) do t[k] = 1 end local s = ''"
                        + " for k in pairs(t) do s = s .. k end return s"))
                .isEqualTo(LuaString.of("zamb"));
    }

    @Test
    void compile_ofALongChainOfOperators_isRefusedOrCompiled() {
        assertThatThrownBy(
                        () -> Sandbox.compile(("return " + "a..".repeat(300) + "a").getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(LuaError.class)
                .hasMessageContaining("too many syntax levels");
        assertThat(run("return " + "1+".repeat(10_000) + "1")).isEqualTo(LuaNumber.of(10_001));
    }
}
