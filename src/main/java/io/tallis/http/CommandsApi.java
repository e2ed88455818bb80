package io.tallis.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandFlag;
import io.tallis.command.facts.CommandSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The commands of Redis in the dialect of Upstash, which has client libraries for many languages.
///
///     GET or POST /incrby/visits/5    {"result": 5}       a body is one more word, and so is each part of the query
///     POST /                          ["INCR", "visits"]
///     POST /pipeline                  [["INCR", "a"], ["GET", "b"]]     [{"result": 1}, {"error": "ERR ..."}]
///     POST /multi-exec                the same, as a transaction
final class CommandsApi {
    private static final List<byte[]> MULTI = List.of(Work.word("MULTI"));
    private static final List<byte[]> EXEC = List.of(Work.word("EXEC"));

    /// Commands whose effect is on a connection, which requests share at random, or whose answer is more or less than
    /// one reply. A connection of RESP closes at the last two.
    private static final Set<String> REFUSED = Set.of(
            "asking",
            "auth",
            "client|caching",
            "client|reply",
            "client|tracking",
            "discard",
            "exec",
            "hello",
            "monitor",
            "multi",
            "psubscribe",
            "punsubscribe",
            "quit",
            "reset",
            "ssubscribe",
            "subscribe",
            "sunsubscribe",
            "unsubscribe",
            "unwatch",
            "watch",
            "post",
            "host:");

    /// Commands with one of these flags do more than read.
    private static final Set<CommandFlag> CHANGING =
            EnumSet.of(CommandFlag.WRITE, CommandFlag.ADMIN, CommandFlag.PUBSUB, CommandFlag.BLOCKING);

    private final CommandFacts facts;

    CommandsApi(CommandFacts facts) {
        this.facts = facts;
    }

    /// A command in the path.
    Work path(Request request) {
        String command = request.target().segments().getFirst();
        if (facts.find(command) == null) {
            throw new HttpRefusal(
                    HttpResponseStatus.NOT_FOUND,
                    "ERR there is neither a path " + request.target().path() + " nor a command '" + command + "'");
        }
        request.requireMethod(HttpMethod.GET, HttpMethod.POST);
        List<byte[]> words = new ArrayList<>();
        request.target().segments().forEach(segment -> words.add(Target.bytes(segment)));
        if (request.method().equals(HttpMethod.POST) && request.body().isReadable()) {
            words.add(ByteBufUtil.getBytes(request.body()));
        }
        for (Target.Parameter parameter : request.target().parameters()) {
            if (!parameter.name().equals(Access.TOKEN)) {
                words.add(Target.bytes(parameter.name()));
                if (parameter.value() != null) {
                    words.add(Target.bytes(parameter.value()));
                }
            }
        }
        return single(words, request);
    }

    /// `POST /`
    Work body(Request request) {
        request.requireMethod(HttpMethod.POST);
        return single(CommandReader.command(request.body()), request);
    }

    private Work single(List<byte[]> command, Request request) {
        check(command, request);
        return new Work(
                List.of(command),
                request.base64(),
                replies -> replies.atError() ? Response.error(replies.line()) : Response.ok(replies::writeWrapped));
    }

    /// `POST /pipeline`
    Work pipeline(Request request) {
        request.requireMethod(HttpMethod.POST);
        List<List<byte[]>> commands = commands(request);
        return new Work(
                commands, request.base64(), replies -> Response.ok(out -> writeAll(replies, commands.size(), out)));
    }

    /// `POST /multi-exec`: an error before the execution is that of the whole request.
    Work transaction(Request request) {
        request.requireMethod(HttpMethod.POST);
        List<List<byte[]>> commands = commands(request);
        return inTransaction(
                commands, request.base64(), replies -> Response.ok(out -> writeAll(replies, commands.size(), out)));
    }

    /// Runs commands as a transaction. `rendering` gets the replies within that to `EXEC`.
    static Work inTransaction(List<List<byte[]>> commands, boolean base64, Work.Rendering rendering) {
        List<List<byte[]>> all = new ArrayList<>(commands.size() + 2);
        all.add(MULTI);
        all.addAll(commands);
        all.add(EXEC);
        return new Work(all, base64, replies -> {
            String refusal = replies.skip(1 + commands.size());
            if (!replies.atArray()) {
                String failure = replies.skip(1);
                return Response.error(refusal != null ? refusal : String.valueOf(failure));
            }
            replies.number();
            return rendering.of(replies);
        });
    }

    private static void writeAll(ReplyReader replies, int count, JsonGenerator out) throws IOException {
        out.writeStartArray();
        for (int i = 0; i < count; i++) {
            replies.writeWrapped(out);
        }
        out.writeEndArray();
    }

    private List<List<byte[]>> commands(Request request) {
        List<List<byte[]>> commands = CommandReader.commands(request.body());
        if (commands.isEmpty()) {
            throw HttpRefusal.badRequest("ERR there is no command in the array");
        }
        commands.forEach(command -> check(command, request));
        return commands;
    }

    private void check(List<byte[]> command, Request request) {
        CommandSpec spec = specOf(command);
        String name = spec == null ? text(command.getFirst()).toLowerCase(Locale.ROOT) : spec.fullName();
        if (REFUSED.contains(name)) {
            throw HttpRefusal.badRequest("ERR " + name.toUpperCase(Locale.ROOT).replace('|', ' ')
                    + " has no meaning over HTTP" + (name.equals("multi") ? "; use POST /multi-exec" : ""));
        }
        if (spec != null && !request.mayChange() && !Collections.disjoint(spec.flags(), CHANGING)) {
            throw unsafe();
        }
    }

    static HttpRefusal unsafe() {
        return new HttpRefusal(
                HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                "ERR a request that changes something needs Content-Type: application/json, or any Authorization but Basic");
    }

    /// The facts of the command, or of its subcommand if the words name a known one; null for an unknown command.
    private @Nullable CommandSpec specOf(List<byte[]> command) {
        String name = text(command.getFirst());
        if (name.indexOf('|') >= 0) {
            return null;
        }
        CommandSpec spec = facts.find(name);
        if (spec == null || spec.subcommands().isEmpty() || command.size() == 1) {
            return spec;
        }
        CommandSpec subcommand = facts.find(name + "|" + text(command.get(1)).toLowerCase(Locale.ROOT));
        return subcommand == null ? spec : subcommand;
    }

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.UTF_8);
    }
}
