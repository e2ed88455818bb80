package io.tallis.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a node knows of its cluster, for clients that choose a node: `GET /cluster`. `cluster` is the id of the
/// cluster, or `none`.
public record ClusterFacts(String cluster, List<Node> nodes) {
    /// A node. `client` is `host:port`; `http` is a URL, empty without one. `link` is null for this node itself and for
    /// one that cannot be reached.
    public record Node(
            String name,
            String uuid,
            String session,
            String client,
            String http,
            String state,
            boolean self,
            long starts,
            @Nullable Link link) {}

    /// How it stands between this node and another: what the other lacks of this node's changes, the time since it was
    /// heard, how far its clock is ahead, and whether their counters were equal when they were compared last.
    public record Link(long lagFrames, long lagMillis, long silentMillis, long clockAheadMillis, String agrees) {}

    Response response() {
        return Response.ok(this::write);
    }

    private void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("cluster", cluster);
        out.writeArrayFieldStart("nodes");
        for (Node node : nodes) {
            write(node, out);
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void write(Node node, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", node.name);
        out.writeStringField("uuid", node.uuid);
        out.writeStringField("session", node.session);
        out.writeStringField("client", node.client);
        out.writeStringField("http", node.http.isEmpty() ? null : node.http);
        out.writeStringField("state", node.state);
        out.writeBooleanField("self", node.self);
        out.writeNumberField("starts", node.starts);
        Link link = node.link;
        if (link != null) {
            out.writeNumberField("lag_frames", link.lagFrames);
            out.writeNumberField("lag_ms", link.lagMillis);
            out.writeNumberField("silent_ms", link.silentMillis);
            out.writeNumberField("clock_ahead_ms", link.clockAheadMillis);
            out.writeStringField("agrees", link.agrees);
        }
        out.writeEndObject();
    }
}
