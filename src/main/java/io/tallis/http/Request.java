package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.stream.Collectors;

/// A complete request whose client has been let in. `base64` is whether the client wants the strings of replies in
/// Base64.
record Request(HttpMethod method, Target target, HttpHeaders headers, ByteBuf body, Caller caller, boolean base64) {
    /// Whether it is surely no other page's doing that a browser sends it (see [Access]).
    boolean mayChange() {
        return caller.rights() == Rights.CHANGE;
    }

    /// Refuses a user who may not do everything, where the response is not made by commands, which would say who may.
    void requireMayDoAll() {
        if (!caller.mayDoAll()) {
            throw new HttpRefusal(
                    HttpResponseStatus.FORBIDDEN, "NOPERM this path is for users with all permissions only");
        }
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
