package io.tallis.cluster.jgroups;

/// The settings of the transport cannot be as they are; the message tells an operator why.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TransportException(String message) {
        super(message);
    }
}
