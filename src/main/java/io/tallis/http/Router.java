package io.tallis.http;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tallis.command.facts.CommandFacts;
import io.tallis.http.HttpFrontEnd.Node;
import io.tallis.watch.Topic;
import io.tallis.watch.Watcher;
import io.tallis.watch.Watching;

/// The paths of the server, and what answers them.
final class Router {
    private static final String LIVE = "/live";
    private static final String HEALTH = "/health";
    static final String WATCH = "/counters/watch";
    private static final String METRICS = "/metrics";

    private static final Page PAGE = Page.load();

    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final CommandsApi commands;
    private final Node node;

    Router(CommandFacts facts, Node node) {
        commands = new CommandsApi(facts);
        this.node = node;
    }

    /// Begins a stream of events.
    Watcher watch(Topic topic, Watching.Subscriber subscriber) {
        return node.watching().watch(topic, subscriber);
    }

    /// Whether this path is for probes, which need no password: Kubernetes has no place to keep one for them. Without
    /// it they get no reasons, which name other nodes.
    static boolean isProbe(String path) {
        return path.equals(LIVE) || path.equals(HEALTH);
    }

    /// Whether this path is for probes and monitoring, which are answered also when there are too many clients.
    static boolean isAnsweredWhenFull(String path) {
        return isProbe(path) || path.equals(METRICS);
    }

    /// Whether requests with this path have a body, whose length they must tell.
    static boolean needsBody(String path) {
        return switch (path) {
            case "/", "/pipeline", "/multi-exec", "/counters/increment" -> true;
            default -> false;
        };
    }

    Work workOf(Request request) {
        String path = request.target().path();
        if (Page.isAskedFor(request.method(), path)) {
            return PAGE.file(request);
        }
        return switch (path) {
            case "/" -> commands.body(request);
            case "/pipeline" -> commands.pipeline(request);
            case "/multi-exec" -> commands.transaction(request);
            case "/counters" -> CountersApi.listOrDelete(request);
            case "/counters/read" -> CountersApi.read(request);
            case "/counters/increment" -> CountersApi.increment(request);
            case WATCH -> CountersApi.watch(request);
            case LIVE -> live(request);
            case HEALTH -> health(request);
            case METRICS -> metrics(request);
            case "/cluster" -> cluster(request);
            default -> commands.path(request);
        };
    }

    private static Work live(Request request) {
        request.requireMethod(HttpMethod.GET, HttpMethod.HEAD);
        return Work.answered(Response.ok(out -> {
            out.writeStartObject();
            out.writeStringField("state", "live");
            out.writeEndObject();
        }));
    }

    private Work metrics(Request request) {
        request.requireMethod(HttpMethod.GET, HttpMethod.HEAD);
        request.requireMayDoAll();
        return Work.answered(Response.text(PROMETHEUS_TEXT, node.metrics().get()));
    }

    private Work cluster(Request request) {
        request.requireMethod(HttpMethod.GET, HttpMethod.HEAD);
        request.requireMayDoAll();
        return Work.answered(node.cluster().get().response());
    }

    private Work health(Request request) {
        request.requireMethod(HttpMethod.GET, HttpMethod.HEAD);
        Health now = node.health().get();
        HttpResponseStatus status = now.isWell() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
        return Work.answered(Response.of(status, out -> {
            out.writeStartObject();
            out.writeStringField("state", now.state());
            if (!now.isWell() && request.caller().rights() != Rights.NONE) {
                out.writeStringField("error", now.reason());
            }
            out.writeEndObject();
        }));
    }
}
