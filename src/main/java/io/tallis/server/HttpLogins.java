package io.tallis.server;

import io.tallis.acl.AccessControl;
import io.tallis.acl.NamedUser;
import io.tallis.http.Login;
import io.tallis.http.Logins;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Users, as HTTP asks for them.
record HttpLogins(AccessControl access) implements Logins {
    @Override
    public boolean needsPassword() {
        return access.needsPassword();
    }

    @Override
    public Standing standing(@Nullable Login login) {
        NamedUser user = login == null ? access.defaultUser() : verified(login);
        if (user == null) {
            return Standing.UNKNOWN;
        }
        return user.mayRunAll() ? Standing.FULL : Standing.RESTRICTED;
    }

    private @Nullable NamedUser verified(Login login) {
        String name = new String(bytes(login.user()), StandardCharsets.UTF_8);
        return access.verified(name, bytes(login.password()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
