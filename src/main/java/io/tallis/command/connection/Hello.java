package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.facts.CommandFacts;

/// `HELLO [protover [AUTH username password] [SETNAME clientname]]`: selects the protocol version and describes the
/// server. Changes nothing unless all options are valid.
///
/// The reply names Redis and the version whose behaviour this server follows, because clients decide by it which
/// commands they may use.
final class Hello implements Command {
    private static final String NOT_A_VERSION = "ERR Protocol version is not an integer or out of range";

    private final Authentication authentication;
    private final String mode;

    /// `mode` is how clients have to connect, in Redis's terms.
    Hello(Authentication authentication, String mode) {
        this.authentication = authentication;
        this.mode = mode;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        int protocol = arguments.count() > 1 ? protocol(arguments) : client.protocol();
        int userWord = 0;
        int nameWord = 0;
        for (int word = 2; word < arguments.count(); ) {
            int more = arguments.count() - word - 1;
            if (arguments.is(word, "AUTH") && more >= 2) {
                userWord = word + 1;
                word += 3;
            } else if (arguments.is(word, "SETNAME") && more >= 1) {
                nameWord = word + 1;
                word += 2;
            } else {
                throw new CommandError("ERR Syntax error in HELLO option '" + arguments.shown(word) + "'");
            }
        }
        apply(arguments, userWord, nameWord, client);
        client.protocol(protocol);
        describe(client, reply);
    }

    private static int protocol(Arguments arguments) {
        long protocol = Numbers.signed(arguments, 1, NOT_A_VERSION);
        if (protocol != 2 && protocol != 3) {
            throw new CommandError("NOPROTO unsupported protocol version");
        }
        return (int) protocol;
    }

    private void apply(Arguments arguments, int userWord, int nameWord, Client client) {
        String name = nameWord > 0 ? ClientCommands.name(arguments, nameWord) : client.name();
        if (userWord > 0) {
            authentication.asUser(arguments, userWord, userWord + 1, client);
        }
        if (!client.mayAct(authentication.needsPassword())) {
            throw new CommandError("NOAUTH HELLO must be called with the client already authenticated, otherwise the"
                    + " HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the"
                    + " RESP protocol version at the same time");
        }
        client.name(name);
    }

    private void describe(Client client, Reply reply) {
        reply.map(7);
        reply.bulk("server");
        reply.bulk("redis");
        reply.bulk("version");
        reply.bulk(CommandFacts.REDIS_VERSION);
        reply.bulk("proto");
        reply.integer(client.protocol());
        reply.bulk("id");
        reply.integer(client.id());
        reply.bulk("mode");
        reply.bulk(mode);
        reply.bulk("role");
        reply.bulk("master");
        reply.bulk("modules");
        reply.array(0);
    }
}
