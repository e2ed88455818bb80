package io.tallis.resp.socket;

/// The files of TLS, in PEM: the certificate of this server with its chain, its key, and the certificates of the
/// authorities of clients, which are needed with `authClients`. An empty name means none.
public record TlsSettings(String certFile, String keyFile, String caCertFile, boolean authClients) {}
