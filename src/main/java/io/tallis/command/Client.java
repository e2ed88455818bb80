package io.tallis.command;

import io.tallis.keyspace.Counters;

/// A client as its commands see it: who it is and what it has said so far. Belongs to its event loop.
public final class Client {
    private final long id;
    private final Link link;
    private final Counters counters;
    private int protocol = 2;
    private boolean authenticated;

    public Client(long id, Link link, Counters counters, boolean authenticated) {
        this.id = id;
        this.link = link;
        this.counters = counters;
        this.authenticated = authenticated;
    }

    public long id() {
        return id;
    }

    public Link link() {
        return link;
    }

    /// The counters, as the event loop of this client reads and changes them.
    public Counters counters() {
        return counters;
    }

    /// The version of the protocol that the client speaks: 2 or 3.
    public int protocol() {
        return protocol;
    }

    public void protocol(int version) {
        protocol = version;
    }

    public boolean authenticated() {
        return authenticated;
    }

    public void authenticated(boolean authenticated) {
        this.authenticated = authenticated;
    }
}
