package io.tallis.runtime;

import java.security.SecureRandom;

/// Where random bits come from. Identities and hash secrets need bits that nobody can guess.
@FunctionalInterface
public interface Randomness {
    long nextLong();

    static Randomness secure() {
        SecureRandom source = new SecureRandom();
        return source::nextLong;
    }
}
