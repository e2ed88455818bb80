package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Monitors;
import io.tallis.command.PubSub;
import io.tallis.command.Reply;
import io.tallis.command.ReplyMode;

/// `RESET`: makes the connection as it was when it was opened; only what the client said about its library stays. As
/// in Redis it is answered even if the client wanted no answers, but not if it wanted none to this command.
final class Reset implements Command {
    private final Authentication authentication;
    private final PubSub pubSub;
    private final Monitors monitors;

    Reset(Authentication authentication, PubSub pubSub, Monitors monitors) {
        this.authentication = authentication;
        this.pubSub = pubSub;
        this.monitors = monitors;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean wantedNone = client.replyMode() == ReplyMode.OFF;
        client.transaction().end();
        pubSub.forget(client);
        monitors.remove(client);
        client.name("");
        client.noEvict(false);
        client.noTouch(false);
        client.replyMode(ReplyMode.ON);
        client.protocol(2);
        client.authenticated(!authentication.needsPassword());
        Reply answer = wantedNone ? client.aloud(reply) : reply;
        answer.status("RESET");
    }
}
