package io.tallis.http;

import java.util.Set;

/// The settings of HTTP connections, which may change while the server runs.
///
/// `logins` are the users. Pages of `origins` may use this server. A request takes at most `mostRequestBytes`, both its
/// body and its commands in the form of RESP; an argument of a command at most `mostArgumentBytes`.
public record HttpLimits(
        Logins logins, boolean protectedMode, Set<String> origins, int mostRequestBytes, int mostArgumentBytes) {}
