package io.tallis.command.connection;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.Pauses;

/// `CLIENT`: what a client tells about itself, and what operators see of all clients.
public final class ClientCommands implements CommandFamily {
    /// The longest name of a client or a library, in bytes.
    private static final int LONGEST_NAME = 1024;

    private final ClientList list;
    private final Pauses pauses;

    public ClientCommands(ClientRegistry clients, AccessControl access, Pauses pauses) {
        list = new ClientList(clients, access);
        this.pauses = pauses;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("client|id", (_, client, reply) -> reply.integer(client.id()))
                .add("client|info", list::info)
                .add("client|list", list::list)
                .add("client|kill", list::kill)
                .add("client|getname", ClientCommands::getName)
                .add("client|setname", ClientCommands::setName)
                .add("client|setinfo", ClientCommands::setInfo)
                .add("client|reply", ClientCommands::setReplyMode)
                .add("client|unblock", ClientCommands::unblock)
                .add("client|pause", this::pause)
                .add("client|unpause", this::unpause)
                .add("client|no-evict", ClientCommands::setNoEvict)
                .add("client|no-touch", ClientCommands::setNoTouch);
    }

    private static void getName(Arguments arguments, Client client, Reply reply) {
        if (client.name().isEmpty()) {
            reply.nil();
        } else {
            reply.bulk(client.name());
        }
    }

    /// `CLIENT SETNAME name`: an empty name removes it.
    private static void setName(Arguments arguments, Client client, Reply reply) {
        client.name(name(arguments, 2));
        reply.ok();
    }

    /// `CLIENT SETINFO LIB-NAME name`, `CLIENT SETINFO LIB-VER version`
    private static void setInfo(Arguments arguments, Client client, Reply reply) {
        if (arguments.is(2, "LIB-NAME")) {
            client.libraryName(name(arguments, 3, "lib-name"));
        } else if (arguments.is(2, "LIB-VER")) {
            client.libraryVersion(name(arguments, 3, "lib-ver"));
        } else {
            throw new CommandError("ERR Unrecognized option '" + arguments.shown(2) + "'");
        }
        reply.ok();
    }

    static String name(Arguments arguments, int word) {
        return name(arguments, word, "Client names");
    }

    /// The word as a name. Names appear in the lines of `CLIENT LIST`, which blanks would break. `what` is the subject
    /// of the error.
    private static String name(Arguments arguments, int word, String what) {
        for (int i = 0; i < arguments.length(word); i++) {
            int letter = arguments.array()[arguments.offset(word) + i];
            if (letter < '!' || letter > '~') {
                throw new CommandError("ERR " + what + " cannot contain spaces, newlines or special characters.");
            }
        }
        if (arguments.length(word) > LONGEST_NAME) {
            throw new CommandError("ERR " + what + " cannot be longer than " + LONGEST_NAME + " bytes.");
        }
        return arguments.text(word);
    }

    /// `CLIENT REPLY ON|OFF|SKIP`: only `ON` is answered.
    private static void setReplyMode(Arguments arguments, Client client, Reply reply) {
        if (arguments.is(2, "ON")) {
            client.replyMode(Client.ReplyMode.ON);
            client.aloud(reply).ok();
        } else if (arguments.is(2, "OFF")) {
            client.replyMode(Client.ReplyMode.OFF);
        } else if (arguments.is(2, "SKIP")) {
            if (client.replyMode() == Client.ReplyMode.ON) {
                client.replyMode(Client.ReplyMode.SKIP_NEXT);
            }
        } else {
            throw CommandError.syntax();
        }
    }

    /// `CLIENT UNBLOCK client-id [TIMEOUT | ERROR]`: always 0. No client waits for a key, and a client in `WAIT` is
    /// left waiting.
    private static void unblock(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 4) {
            throw CommandError.subcommand(arguments);
        }
        if (arguments.count() == 4 && !arguments.is(3, "TIMEOUT") && !arguments.is(3, "ERROR")) {
            throw new CommandError("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
        }
        Numbers.signed(arguments, 2);
        reply.integer(0);
    }

    /// `CLIENT PAUSE timeout [WRITE | ALL]`
    private void pause(Arguments arguments, Client client, Reply reply) {
        boolean isKnown = arguments.count() == 3
                || (arguments.count() == 4 && (arguments.is(3, "WRITE") || arguments.is(3, "ALL")));
        if (arguments.count() > 4) {
            throw CommandError.subcommand(arguments);
        }
        if (!isKnown) {
            throw new CommandError("ERR CLIENT PAUSE mode must be WRITE or ALL");
        }
        long millis = Numbers.signed(arguments, 2, "ERR timeout is not an integer or out of range");
        if (millis < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        pauses.pause(millis, arguments.count() == 4 && arguments.is(3, "WRITE") ? Pauses.Mode.WRITES : Pauses.Mode.ALL);
        reply.ok();
    }

    private void unpause(Arguments arguments, Client client, Reply reply) {
        pauses.end();
        reply.ok();
    }

    /// `CLIENT NO-EVICT ON|OFF`: exempts the client from being closed when all clients together take too much memory.
    private static void setNoEvict(Arguments arguments, Client client, Reply reply) {
        client.noEvict(isOn(arguments, 2));
        reply.ok();
    }

    /// `CLIENT NO-TOUCH ON|OFF`: shown in `CLIENT LIST` and without effect, since the use of keys is not recorded.
    private static void setNoTouch(Arguments arguments, Client client, Reply reply) {
        client.noTouch(isOn(arguments, 2));
        reply.ok();
    }

    private static boolean isOn(Arguments arguments, int word) {
        if (!arguments.is(word, "ON") && !arguments.is(word, "OFF")) {
            throw CommandError.syntax();
        }
        return arguments.is(word, "ON");
    }
}
