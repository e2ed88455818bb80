package io.tallis.command.connection;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.clients.Monitors;
import io.tallis.command.pubsub.PubSub;
import io.tallis.command.tracking.Tracking;

/// `HELLO`, `AUTH`, `PING`, `ECHO`, `SELECT`, `QUIT`, `RESET`: greeting, authentication and the state of a connection.
public final class ConnectionCommands implements CommandFamily {
    private static final String INDEX_OUT_OF_RANGE =
            "ERR value is out of range, value must between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE;

    private final Authentication authentication;
    private final PubSub pubSub;
    private final Monitors monitors;
    private final Tracking tracking;
    private final String mode;

    /// `mode` is what `HELLO` says: `standalone` or `cluster`.
    public ConnectionCommands(AccessControl access, PubSub pubSub, Monitors monitors, Tracking tracking, String mode) {
        this.mode = mode;
        authentication = new Authentication(access);
        this.pubSub = pubSub;
        this.monitors = monitors;
        this.tracking = tracking;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("hello", new Hello(authentication, mode))
                .add("auth", this::auth)
                .add("ping", ConnectionCommands::ping)
                .add("echo", ConnectionCommands::echo)
                .add("select", ConnectionCommands::select)
                .add("quit", ConnectionCommands::quit)
                .add("reset", this::reset);
    }

    /// `AUTH [username] password`
    private void auth(Arguments arguments, Client client, Reply reply) {
        switch (arguments.count()) {
            case 2 -> authentication.withPassword(arguments, 1, client);
            case 3 -> authentication.asUser(arguments, 1, 2, client);
            default -> throw CommandError.syntax();
        }
        reply.ok();
    }

    /// `PING [message]`. A RESP2 client with subscriptions gets an array, so that it can tell the reply from a message.
    private static void ping(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 2) {
            throw new CommandError("ERR wrong number of arguments for 'ping' command");
        }
        if (client.onlySubscribes()) {
            reply.array(2);
            reply.bulk("pong");
            reply.bulk(arguments.count() == 2 ? arguments.bytes(1) : new byte[0]);
        } else if (arguments.count() == 2) {
            echo(arguments, client, reply);
        } else {
            reply.status("PONG");
        }
    }

    /// `ECHO message`
    private static void echo(Arguments arguments, Client client, Reply reply) {
        reply.bulk(arguments.array(), arguments.offset(1), arguments.length(1));
    }

    /// `SELECT index`: there is only database 0.
    private static void select(Arguments arguments, Client client, Reply reply) {
        long index = Numbers.signed(arguments, 1);
        if (index != (int) index) {
            throw new CommandError(INDEX_OUT_OF_RANGE);
        }
        if (index != 0) {
            throw new CommandError("ERR DB index is out of range");
        }
        reply.ok();
    }

    /// `QUIT`: closes the connection after the reply.
    private static void quit(Arguments arguments, Client client, Reply reply) {
        reply.ok();
        client.link().closeAfterReplies();
    }

    /// `RESET`: restores the state of a new connection, except the name and version of the client's library. As in
    /// Redis it is answered after `CLIENT REPLY OFF`, but not after `CLIENT REPLY SKIP`.
    private void reset(Arguments arguments, Client client, Reply reply) {
        boolean repliesWereOff = client.replyMode() == Client.ReplyMode.OFF;
        client.transaction().end();
        pubSub.forget(client);
        monitors.remove(client);
        tracking.end(client);
        client.name("");
        client.noEvict(false);
        client.noTouch(false);
        client.replyMode(Client.ReplyMode.ON);
        client.protocol(2);
        authentication.forget(client);
        Reply answer = repliesWereOff ? client.aloud(reply) : reply;
        answer.status("RESET");
    }
}
