package io.tallis.command.connection;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;

/// Authentication of clients, with the words of a request.
final class Authentication {
    private static final String DEFAULT = "default";
    private static final String WRONG = "WRONGPASS invalid username-password pair or user is disabled.";

    private final AccessControl access;

    Authentication(AccessControl access) {
        this.access = access;
    }

    boolean needsPassword() {
        return access.needsPassword();
    }

    /// Gives the client the state of a new connection.
    void forget(Client client) {
        access.admit(client);
    }

    /// Authenticates the client with the user name in one word and the password in another.
    void asUser(Arguments arguments, int userWord, int passwordWord, Client client) {
        authenticate(arguments.text(userWord), arguments.bytes(passwordWord), client);
    }

    /// Authenticates the client as the default user, with the password in that word.
    void withPassword(Arguments arguments, int word, Client client) {
        if (access.hasNoPassword()) {
            throw new CommandError("ERR AUTH <password> called without any password configured for the default user."
                    + " Are you sure your configuration is correct?");
        }
        authenticate(DEFAULT, arguments.bytes(word), client);
    }

    private void authenticate(String name, byte[] password, Client client) {
        if (!access.authenticate(name, password, client)) {
            throw new CommandError(WRONG);
        }
    }
}
