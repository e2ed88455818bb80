package io.tallis.cluster.jgroups;

/// The settings of the transport are wrong; the message tells the operator what to change.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TransportException(String message) {
        super(message);
    }
}
