package io.tallis.runtime;

import java.security.SecureRandom;

/// A source of random bits. Identities and hash secrets need an unpredictable one, see [#secure].
@FunctionalInterface
public interface Randomness {
    long nextLong();

    static Randomness secure() {
        SecureRandom source = new SecureRandom();
        return source::nextLong;
    }
}
