package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;

/// The sorts of client that Redis tells apart; we have two of them.
enum ClientType {
    NORMAL,
    PUBSUB,
    MASTER,
    REPLICA;

    static ClientType of(Arguments arguments, int word) {
        if (arguments.is(word, "SLAVE")) {
            return REPLICA;
        }
        for (ClientType type : values()) {
            if (arguments.is(word, type.name())) {
                return type;
            }
        }
        throw new CommandError("ERR Unknown client type '" + arguments.shown(word) + "'");
    }

    static ClientType of(Client client) {
        return client.subscriptions().count() > 0 ? PUBSUB : NORMAL;
    }
}
