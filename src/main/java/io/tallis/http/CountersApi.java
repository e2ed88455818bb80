package io.tallis.http;

import io.netty.handler.codec.http.HttpMethod;
import io.tallis.watch.Topic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Counters by name. `type` is `pncount`, the default, or `gcount`.
///
///     GET    /counters/read?id=a&id=b             {"a": 43, "b": 3}
///     GET    /counters/read?id=a&raw=true         {"a": {"north": 21, "south": 22}}
///     POST   /counters/increment                  [{"name": "a", "change": 4}], all or nothing    {"a": 47}
///     GET    /counters/watch?prefix=a             changes as they happen, see [EventFormat]
///     GET    /counters?prefix=a&cursor=0&limit=9  {"cursor": "0", "names": ["a"]}
///     DELETE /counters?id=a&id=b                  {"deleted": 2}
///
/// In a list of ids `id=` may be left out from the second on: `?id=a&b`.
final class CountersApi {
    private static final long MOST_NAMES = 1000;
    private static final String GLOB_CHARACTERS = "*?[]\\^";

    private CountersApi() {}

    /// `GET /counters/read`. A missing counter is 0, a text null.
    static Work read(Request request) {
        request.requireMethod(HttpMethod.GET);
        byte[] type = type(request.target());
        SequencedSet<String> names = ids(request.target());
        boolean raw = flag(request.target(), "raw");
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
        Target target = request.target();
        String prefix = target.parameter("prefix");
        boolean raw = flag(target, "raw");
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
        // Whoever may not read these counters now, as while the node loads, may not watch them.
        Work reading = prefix == null ? read(request) : list(request);
        return new Work(
                reading.commands(),
                false,
                replies -> replies.atError() ? Response.error(replies.line()) : Response.stream(topic));
    }

    /// `GET /counters`: some names, and the cursor for further ones, `0` after the last.
    static Work list(Request request) {
        byte[] type = type(request.target());
        String prefix = request.target().parameter("prefix");
        String cursor = request.target().parameter("cursor");
        List<byte[]> scan = new ArrayList<>(
                List.of(type, Work.word("SCAN"), Target.bytes(cursor == null ? "0" : cursor), Work.word("COUNT")));
        scan.add(Work.word(Long.toString(limit(request.target()))));
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
    static Work delete(Request request) {
        requireMayChange(request);
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

    private static List<byte[]> command(byte[] type, String subcommand, SequencedSet<String> names) {
        List<byte[]> command = new ArrayList<>(List.of(type, Work.word(subcommand)));
        names.forEach(name -> command.add(Json.utf8(name)));
        return command;
    }

    private static byte[] type(Target target) {
        return Work.word(typeName(target));
    }

    private static String typeName(Target target) {
        String type = target.parameter("type");
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
            } else if (parameter.name().equals("id")) {
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

    private static long limit(Target target) {
        String value = target.parameter("limit");
        try {
            long limit = value == null ? MOST_NAMES / 10 : Long.parseLong(value);
            if (limit >= 1 && limit <= MOST_NAMES) {
                return limit;
            }
        } catch (NumberFormatException _) {
            // Refused below.
        }
        throw HttpRefusal.badRequest("ERR limit is a number from 1 to " + MOST_NAMES);
    }
}
