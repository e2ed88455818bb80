package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.stream.Collectors;

/// A complete request whose client has been let in. `base64` is whether the client wants the strings of replies in
/// Base64.
record Request(HttpMethod method, Target target, HttpHeaders headers, ByteBuf body, Rights rights, boolean base64) {
    /// Whether it is surely no other page's doing that a browser sends it (see [Access]).
    boolean mayChange() {
        return rights == Rights.CHANGE;
    }

    /// Refuses other methods than these.
    void requireMethod(HttpMethod... allowed) {
        List<HttpMethod> all = List.of(allowed);
        if (!all.contains(method)) {
            throw HttpRefusal.methodNotAllowed(
                    all.stream().map(HttpMethod::name).collect(Collectors.joining(", ")));
        }
    }
}
