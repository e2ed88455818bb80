package io.tallis.http;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.flow.FlowControlHandler;
import io.tallis.command.facts.CommandFacts;
import io.tallis.resp.FrontEnd;
import io.tallis.runtime.Live;
import io.tallis.watch.Watching;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/// HTTP in front of RESP.
public final class HttpFrontEnd implements FrontEnd {
    private final Router router;
    private final Live<HttpLimits> limits;
    private final boolean onlyProbes;

    /// What the node tells of itself; `metrics` is a page in Prometheus's text format. Asked on event loops: each
    /// answers at once.
    public record Node(
            Supplier<Health> health, Supplier<ClusterFacts> cluster, Supplier<String> metrics, Watching watching) {}

    public HttpFrontEnd(CommandFacts facts, Node node, Live<HttpLimits> limits) {
        this(new Router(facts, node), limits, false);
    }

    private HttpFrontEnd(Router router, Live<HttpLimits> limits, boolean onlyProbes) {
        this.router = router;
        this.limits = limits;
        this.onlyProbes = onlyProbes;
    }

    @Override
    public FrontEnd whenFull() {
        return new HttpFrontEnd(router, limits, true);
    }

    @Override
    public Upstream addTo(Channel channel, Meter meter) {
        StrictDecoder decoder = new StrictDecoder(meter);
        HttpConnection connection = new HttpConnection(channel, router, limits, decoder, meter, onlyProbes);
        // What was decoded of one read waits there while the connection wants no more requests.
        channel.pipeline().addLast(decoder, new FlowControlHandler(), connection);
        return connection;
    }

    @Override
    public String refusal(String error) {
        String text = error.strip().substring(1);
        Response response = text.startsWith("DENIED")
                ? Response.error(text)
                : Response.error(HttpResponseStatus.SERVICE_UNAVAILABLE, text);
        return response.head("", true) + response.body().toString(StandardCharsets.UTF_8);
    }
}
