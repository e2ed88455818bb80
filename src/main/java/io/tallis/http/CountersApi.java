package io.tallis.http;

import io.netty.handler.codec.http.HttpMethod;
import io.tallis.watch.Topic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;

/// Counters by name. `type` is `pncount`, the default, or `gcount`.
///
///     GET    /counters/read?id=a&id=b             {"a": 43, "b": 3}
///     GET    /counters/read?id=a&raw=true         {"a": {"north": 21, "south": 22}}
///     POST   /counters/increment                  [{"name": "a", "change": 4}], all or nothing    {"a": 47}
///     GET    /counters/watch?prefix=a             changes as they happen, see [EventFormat]
///     GET    /counters?prefix=a&cursor=0&limit=9  {"cursor": "0", "names": ["a"]}
///     DELETE /counters?id=a&id=b                  {"deleted": 2}
///
/// In a list of ids `id=` may be left out from the second on: `?id=a&b`. Unknown parameters are refused: a misspelt
/// `type` would change another counter.
final class CountersApi {
    private static final long MOST_NAMES = 1000;
    private static final String GLOB_CHARACTERS = "*?[]\\^";

    /// Beyond all cursors: 1,024 partitions of 2^32 hashes. `SCAN` takes such a number for the end, as that of Redis
    /// does.
    private static final long CURSORS = 1L << 42;

    private static final String ID = "id";
    private static final String TYPE = "type";
    private static final String RAW = "raw";
    private static final String PREFIX = "prefix";
    private static final String CURSOR = "cursor";
    private static final String LIMIT = "limit";

    /// Names of parameters, which are no ids even where `id=` may be left out.
    private static final Set<String> RESERVED = Set.of(ID, TYPE, RAW, PREFIX, CURSOR, LIMIT, Access.TOKEN);

    private CountersApi() {}

    /// `GET /counters/read`. A missing counter is 0, a text null.
    static Work read(Request request) {
        request.requireMethod(HttpMethod.GET);
        requireKnown(request.target(), ID, TYPE, RAW);
        byte[] type = type(request.target());
        SequencedSet<String> names = ids(request.target());
        boolean raw = flag(request.target(), RAW);
        List<List<byte[]>> commands = raw
                ? names.stream()
                        .map(name -> List.of(type, Work.word("RAW"), Work.word(name)))
                        .toList()
                : List.of(command(type, "MGET", names));
        return new Work(commands, false, replies -> raw ? contributions(names, replies) : values(names, replies));
    }

    private static Response values(SequencedSet<String> names, ReplyReader replies) {
        if (!replies.atArray()) {
            return Response.error(replies.line());
        }
        replies.number();
        return Response.ok(out -> {
            out.writeStartObject();
            for (String name : names) {
                out.writeFieldName(name);
                replies.write(out);
            }
            out.writeEndObject();
        });
    }

    private static Response contributions(SequencedSet<String> names, ReplyReader replies) {
        if (!replies.atArray()) {
            return Response.error(replies.line());
        }
        return Response.ok(out -> {
            out.writeStartObject();
            for (String name : names) {
                out.writeFieldName(name);
                if (replies.atArray()) {
                    replies.writeObject(out);
                } else {
                    replies.writeWrapped(out);
                }
            }
            out.writeEndObject();
        });
    }

    /// `POST /counters/increment`: changes all of the counters or none. Answers their values right after that.
    static Work increment(Request request) {
        request.requireMethod(HttpMethod.POST);
        requireMayChange(request);
        requireKnown(request.target(), TYPE);
        byte[] type = type(request.target());
        List<CommandReader.Change> changes = CommandReader.changes(request.body());
        if (changes.isEmpty()) {
            throw HttpRefusal.badRequest("ERR there is no change in the array");
        }
        SequencedSet<String> names = new LinkedHashSet<>();
        List<byte[]> add = new ArrayList<>(List.of(type, Work.word("MINC")));
        for (CommandReader.Change change : changes) {
            names.add(change.name());
            add.add(Json.utf8(change.name()));
            add.add(Work.word(change.amount()));
        }
        return CommandsApi.inTransaction(
                List.of(add, command(type, "MGET", names)),
                false,
                replies -> replies.atError() ? Response.error(replies.line()) : newValues(names, replies));
    }

    private static Response newValues(SequencedSet<String> names, ReplyReader replies) {
        replies.line();
        return values(names, replies);
    }

    /// `GET /counters/watch`: present values, then changes, of the counters with a prefix or with these ids.
    static Work watch(Request request) {
        request.requireMethod(HttpMethod.GET);
        request.requireMayDoAll();
        Target target = request.target();
        String prefix = target.parameter(PREFIX);
        requireKnown(target, prefix == null ? ID : PREFIX, TYPE, RAW);
        boolean raw = flag(target, RAW);
        Topic topic;
        if (prefix == null) {
            List<byte[]> names = ids(target).stream().map(Json::utf8).toList();
            if (names.size() > MOST_NAMES) {
                throw HttpRefusal.badRequest("ERR there are more than " + MOST_NAMES + " ids");
            }
            topic = Topic.names(typeName(target), raw, names);
        } else {
            topic = Topic.prefix(typeName(target), raw, Target.bytes(prefix));
        }
        // A request that may not read these counters now, as while the node loads, may not watch them.
        Work reading = prefix == null ? read(request) : names(target);
        return new Work(
                reading.commands(),
                false,
                replies -> replies.atError() ? Response.error(replies.line()) : Response.stream(topic));
    }

    /// `GET /counters`: some names, and the cursor for further ones, `0` after the last.
    private static Work list(Request request) {
        requireKnown(request.target(), PREFIX, CURSOR, LIMIT, TYPE);
        return names(request.target());
    }

    private static Work names(Target target) {
        String prefix = target.parameter(PREFIX);
        long cursor = number(target, CURSOR, 0, 0, CURSORS - 1);
        long limit = number(target, LIMIT, MOST_NAMES / 10, 1, MOST_NAMES);
        List<byte[]> scan = new ArrayList<>(List.of(
                type(target),
                Work.word("SCAN"),
                Work.word(Long.toString(cursor)),
                Work.word("COUNT"),
                Work.word(Long.toString(limit))));
        if (prefix != null) {
            scan.add(Work.word("MATCH"));
            scan.add(Target.bytes(pattern(prefix)));
        }
        return new Work(List.of(scan), false, CountersApi::names);
    }

    private static Response names(ReplyReader replies) {
        if (!replies.atArray()) {
            return Response.error(replies.line());
        }
        replies.number();
        return Response.ok(out -> {
            out.writeStartObject();
            out.writeFieldName("cursor");
            replies.write(out);
            out.writeFieldName("names");
            replies.write(out);
            out.writeEndObject();
        });
    }

    private static String pattern(String prefix) {
        StringBuilder pattern = new StringBuilder(prefix.length() + 1);
        for (int i = 0; i < prefix.length(); i++) {
            char c = prefix.charAt(i);
            if (GLOB_CHARACTERS.indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.append('*').toString();
    }

    /// `DELETE /counters`
    private static Work delete(Request request) {
        requireMayChange(request);
        requireKnown(request.target(), ID, TYPE);
        List<byte[]> delete = command(type(request.target()), "DEL", ids(request.target()));
        return new Work(
                List.of(delete),
                false,
                replies -> replies.atError()
                        ? Response.error(replies.line())
                        : Response.ok(out -> {
                            out.writeStartObject();
                            out.writeFieldName("deleted");
                            replies.write(out);
                            out.writeEndObject();
                        }));
    }

    /// `GET` and `DELETE /counters`
    static Work listOrDelete(Request request) {
        request.requireMethod(HttpMethod.GET, HttpMethod.DELETE);
        return request.method().equals(HttpMethod.GET) ? list(request) : delete(request);
    }

    private static void requireMayChange(Request request) {
        if (!request.mayChange()) {
            throw CommandsApi.unsafe();
        }
    }

    private static void requireKnown(Target target, String... known) {
        List<String> all = List.of(known);
        for (Target.Parameter parameter : target.parameters()) {
            String name = parameter.name();
            boolean isAlone = parameter.value() == null;
            if (isAlone && RESERVED.contains(name)) {
                throw HttpRefusal.badRequest("ERR the parameter " + name + " has no value");
            }
            boolean isId = isAlone && all.contains(ID);
            if (!isId && !all.contains(name) && !name.equals(Access.TOKEN)) {
                throw HttpRefusal.badRequest("ERR unknown parameter '" + Json.text(Target.bytes(name)) + "', expected "
                        + String.join(", ", all));
            }
        }
    }

    private static List<byte[]> command(byte[] type, String subcommand, SequencedSet<String> names) {
        List<byte[]> command = new ArrayList<>(List.of(type, Work.word(subcommand)));
        names.forEach(name -> command.add(Json.utf8(name)));
        return command;
    }

    private static byte[] type(Target target) {
        return Work.word(typeName(target));
    }

    private static String typeName(Target target) {
        String type = target.parameter(TYPE);
        String name = type == null ? "pncount" : type;
        if (!name.equals("pncount") && !name.equals("gcount")) {
            throw HttpRefusal.badRequest("ERR type is pncount or gcount");
        }
        return name;
    }

    /// The values of all parameters `id`, and the names of those without a value.
    private static SequencedSet<String> ids(Target target) {
        SequencedSet<String> ids = new LinkedHashSet<>();
        for (Target.Parameter parameter : target.parameters()) {
            String value = parameter.value();
            if (value == null) {
                ids.add(Json.text(Target.bytes(parameter.name())));
            } else if (parameter.name().equals(ID)) {
                ids.add(Json.text(Target.bytes(value)));
            }
        }
        if (ids.isEmpty()) {
            throw HttpRefusal.badRequest("ERR there is no id");
        }
        return ids;
    }

    private static boolean flag(Target target, String name) {
        String value = target.parameter(name);
        String text = value == null ? "false" : value;
        if (!text.equals("true") && !text.equals("false")) {
            throw HttpRefusal.badRequest("ERR " + name + " is true or false");
        }
        return text.equals("true");
    }

    private static long number(Target target, String name, long otherwise, long least, long most) {
        String value = target.parameter(name);
        try {
            long number = value == null ? otherwise : Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Refused below.
        }
        throw HttpRefusal.badRequest("ERR " + name + " is a number from " + least + " to " + most);
    }
}
