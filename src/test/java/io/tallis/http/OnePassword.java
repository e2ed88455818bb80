package io.tallis.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The default user alone, who may do everything. An empty password means that none is needed.
record OnePassword(String password) implements Logins {
    @Override
    public boolean needsPassword() {
        return !password.isEmpty();
    }

    @Override
    public Standing standing(@Nullable Login login) {
        String bytes = new String(password.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return login == null || login.equals(new Login("default", bytes)) ? Standing.FULL : Standing.UNKNOWN;
    }
}
