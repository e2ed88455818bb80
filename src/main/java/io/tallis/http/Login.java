package io.tallis.http;

/// The name of a user and the password, as a request has them: each character is one byte.
public record Login(String user, String password) {}
