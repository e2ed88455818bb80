package io.tallis.script;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// `redis`
public final class RedisLibrary {
    private static final LuaString ERR = LuaString.of("err");
    private static final LuaString OK = LuaString.of("ok");
    private static final int WARNING = 3;
    private static final int ALL = 3;

    private final Host host;

    RedisLibrary(Host host) {
        this.host = host;
    }

    LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "call", call -> Call.results(command(call, true)));
        BaseLibrary.add(library, "pcall", call -> Call.results(command(call, false)));
        BaseLibrary.add(library, "error_reply", RedisLibrary::errorReply);
        BaseLibrary.add(library, "status_reply", RedisLibrary::statusReply);
        BaseLibrary.add(library, "sha1hex", RedisLibrary::sha1);
        BaseLibrary.add(library, "log", this::log);
        BaseLibrary.add(library, "setresp", this::setProtocol);
        BaseLibrary.add(library, "replicate_commands", _ -> Call.results(LuaBoolean.TRUE));
        BaseLibrary.add(library, "set_repl", RedisLibrary::setReplication);
        BaseLibrary.add(library, "acl_check_cmd", this::checkCommand);
        BaseLibrary.add(library, "breakpoint", _ -> Call.results(LuaBoolean.FALSE));
        BaseLibrary.add(library, "debug", _ -> LuaValue.NONE);
        library.with("LOG_DEBUG", LuaNumber.of(0));
        library.with("LOG_VERBOSE", LuaNumber.of(1));
        library.with("LOG_NOTICE", LuaNumber.of(2));
        library.with("LOG_WARNING", LuaNumber.of(WARNING));
        library.with("REPL_NONE", LuaNumber.of(0));
        library.with("REPL_AOF", LuaNumber.of(1));
        library.with("REPL_SLAVE", LuaNumber.of(2));
        library.with("REPL_REPLICA", LuaNumber.of(2));
        library.with("REPL_ALL", LuaNumber.of(ALL));
        library.with("REDIS_VERSION", LuaString.of(host.version()));
        library.with("REDIS_VERSION_NUM", LuaNumber.of(versionNumber()));
        return library;
    }

    private int versionNumber() {
        int number = 0;
        for (String part : host.version().split("\\.", -1)) {
            number = (number << 8) | Integer.parseInt(part);
        }
        return number;
    }

    /// An error as scripts see it: a table with the field `err`.
    public static LuaTable error(String text) {
        return new LuaTable().with("err", LuaString.of(text));
    }

    /// The text of an error that is such a table; nil if it is another value.
    public static LuaValue errorOf(LuaValue value) {
        return value instanceof LuaTable table && table.get(ERR) instanceof LuaString text ? text : LuaNil.NIL;
    }

    private LuaValue command(Call call, boolean raises) {
        LuaValue reply = run(call);
        if (raises && reply instanceof LuaTable table && !table.get(ERR).isNil()) {
            throw new LuaError(reply);
        }
        return reply;
    }

    private LuaValue run(Call call) {
        LuaString[] words = new LuaString[call.count()];
        LuaTable refusal = words(call, words);
        return refusal == null ? host.call(words) : refusal;
    }

    /// Fills in the words of a command. Returns the error if they are none, or null.
    private static @Nullable LuaTable words(Call call, LuaString[] words) {
        if (words.length == 0) {
            return error("ERR Please specify at least one argument for this redis lib call");
        }
        for (int i = 0; i < words.length; i++) {
            switch (call.value(i + 1)) {
                case LuaString string -> words[i] = string;
                case LuaNumber number -> {
                    call.machine().chargeDigits(number.value());
                    words[i] = word(number.value());
                }
                default -> {
                    return error("ERR Lua redis lib command arguments must be strings or integers");
                }
            }
        }
        return null;
    }

    private LuaValue[] checkCommand(Call call) {
        LuaString[] words = new LuaString[call.count()];
        LuaTable refusal = words(call, words);
        if (refusal != null) {
            throw new LuaError(refusal);
        }
        if (!host.knows(words)) {
            throw new LuaError(error("ERR Invalid command passed to redis.acl_check_cmd()"));
        }
        return Call.results(LuaBoolean.of(host.mayRun(words)));
    }

    /// A number with all its digits.
    private static LuaString word(double value) {
        return LuaString.of(
                value == (int) value ? Integer.toString((int) value) : NumberText.general(value, 17, false));
    }

    private static LuaValue[] errorReply(Call call) {
        if (call.count() != 1 || !(call.value(1) instanceof LuaString text)) {
            return Call.results(error("ERR wrong number or type of arguments"));
        }
        call.machine().chargeBytes(4L * text.length());
        int start = text.length() > 0 && text.bytes()[0] == '-' ? 1 : 0;
        LuaString plain = text.part(start, text.length());
        // Several words begin with the code of the error.
        boolean hasCode = plain.toString().indexOf(' ') >= 0;
        return Call.results(new LuaTable().with("err", hasCode ? plain : LuaError.preceded("ERR ", plain)));
    }

    private static LuaValue[] statusReply(Call call) {
        if (call.count() != 1 || !(call.value(1) instanceof LuaString text)) {
            return Call.results(error("ERR wrong number or type of arguments"));
        }
        LuaTable table = new LuaTable();
        table.set(OK, text);
        return Call.results(table);
    }

    private static LuaValue[] sha1(Call call) {
        if (call.count() != 1) {
            throw new LuaError(error("ERR wrong number of arguments"));
        }
        LuaString text = call.string(1);
        call.machine().charge(text.length());
        return Call.results(LuaString.of(sha1(text.bytes())));
    }

    /// The SHA-1 of a text in hexadecimal digits: the name of a script.
    public static String sha1(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-1", missing);
        }
    }

    private LuaValue[] log(Call call) {
        if (call.count() < 2) {
            throw new LuaError(error("ERR redis.log() requires two arguments or more."));
        }
        if (!(call.value(1) instanceof LuaNumber number)) {
            throw new LuaError(error("ERR First argument must be a number (log level)."));
        }
        if (number.value() < 0 || number.value() > WARNING) {
            throw new LuaError(error("ERR Invalid debug level."));
        }
        StringBuilder text = new StringBuilder();
        for (int i = 2; i <= call.count(); i++) {
            String word = call.string(i).toString();
            call.machine().charge(word.length());
            text.append(i == 2 ? "" : " ").append(word);
        }
        host.log((int) number.value(), text.toString());
        return LuaValue.NONE;
    }

    private LuaValue[] setProtocol(Call call) {
        if (call.count() != 1) {
            throw new LuaError(error("ERR redis.setresp() requires one argument."));
        }
        long version = call.machine().toNumber(call.value(1)) instanceof LuaNumber number ? (long) number.value() : 0;
        if (version != 2 && version != 3) {
            throw new LuaError(error("ERR RESP version must be 2 or 3."));
        }
        host.protocol((int) version);
        return LuaValue.NONE;
    }

    /// There is one stream of changes, to the journal and to other nodes, and all changes take it.
    private static LuaValue[] setReplication(Call call) {
        if (call.count() != 1) {
            throw new LuaError(error("ERR redis.set_repl() requires two arguments."));
        }
        long flags = call.value(1) instanceof LuaNumber number ? (long) number.value() : -1;
        if ((flags & ~ALL) != 0) {
            throw new LuaError(
                    error("ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE."));
        }
        return LuaValue.NONE;
    }
}
