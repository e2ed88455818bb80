package io.tallis.http;

/// The settings of HTTP connections, which may change while the server runs.
///
/// `password` is empty when none is required. A request takes at most `mostRequestBytes`, both its body and its
/// commands in the form of RESP; an argument of a command at most `mostArgumentBytes`.
public record HttpLimits(String password, boolean protectedMode, int mostRequestBytes, int mostArgumentBytes) {}
