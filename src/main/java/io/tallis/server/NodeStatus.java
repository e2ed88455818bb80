package io.tallis.server;

import io.tallis.runtime.Clock;

/// The identity of the node, its uptime, and where it listens.
final class NodeStatus {
    private final NodeIdentity identity;
    private final Clock clock;
    private final long startedNanos;
    private final long startedEpochMillis;
    private volatile String transport = "none";
    private volatile int eventLoops;
    private volatile int port;

    NodeStatus(NodeIdentity identity, Clock clock) {
        this.identity = identity;
        this.clock = clock;
        startedNanos = clock.nanos();
        startedEpochMillis = clock.epochMillis();
    }

    void listening(String transport, int eventLoops, int port) {
        this.transport = transport;
        this.eventLoops = eventLoops;
        this.port = port;
    }

    NodeIdentity identity() {
        return identity;
    }

    String transport() {
        return transport;
    }

    int eventLoops() {
        return eventLoops;
    }

    int port() {
        return port;
    }

    long epochMillis() {
        return clock.epochMillis();
    }

    long epochMicros() {
        return clock.epochMicros();
    }

    /// When the node started, in Unix time. Noted once: a difference of two clocks would vary by rounding.
    long startedEpochSeconds() {
        return startedEpochMillis / 1000;
    }

    long upSeconds() {
        return (clock.nanos() - startedNanos) / 1_000_000_000;
    }
}
