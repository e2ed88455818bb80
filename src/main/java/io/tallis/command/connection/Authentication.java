package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSettings;
import io.tallis.runtime.Live;
import io.tallis.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// Authentication of clients. There is one user, `default`, with the password `requirepass` or none.
final class Authentication {
    static final String ONLY_USER = "default";

    private static final String WRONG = "WRONGPASS invalid username-password pair or user is disabled.";

    private final Live<CommandSettings> settings;

    Authentication(Live<CommandSettings> settings) {
        this.settings = settings;
    }

    boolean needsPassword() {
        return !settings.now().password().isEmpty();
    }

    /// Authenticates the client with the user name in one word and the password in another.
    void asUser(Arguments arguments, int userWord, int passwordWord, Client client) {
        boolean known = arguments.text(userWord).equals(ONLY_USER);
        boolean fits = !needsPassword() || isPassword(arguments.bytes(passwordWord));
        if (!known || !fits) {
            throw new CommandError(WRONG);
        }
        client.authenticated(true);
    }

    /// Authenticates the client with the password in that word.
    void withPassword(Arguments arguments, int word, Client client) {
        if (!needsPassword()) {
            throw new CommandError("ERR AUTH <password> called without any password configured for the default user."
                    + " Are you sure your configuration is correct?");
        }
        if (!isPassword(arguments.bytes(word))) {
            throw new CommandError(WRONG);
        }
        client.authenticated(true);
    }

    /// Compares digests, so that the time taken reveals neither the length of the password nor a common prefix.
    private boolean isPassword(byte[] word) {
        byte[] password = settings.now().password().getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(Sha256.of(word), Sha256.of(password));
    }
}
