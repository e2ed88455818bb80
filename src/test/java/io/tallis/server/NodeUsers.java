package io.tallis.server;

import io.tallis.acl.AccessControl;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.CoarseTime;
import io.tallis.command.clients.Monitors;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.pubsub.PubSub;
import io.tallis.testing.FakeClock;

/// The users of a node without clients.
final class NodeUsers {
    private NodeUsers() {}

    static AccessControl none() {
        FakeClock clock = new FakeClock();
        ClientRegistry clients = new ClientRegistry(new CoarseTime(clock), new PubSub(), new Monitors(clock));
        return new AccessControl(CommandFacts.load(), clients, clock, () -> 128);
    }
}
