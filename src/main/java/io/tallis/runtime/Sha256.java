package io.tallis.runtime;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The hash that every Java platform has to have.
public final class Sha256 {
    private Sha256() {}

    /// One that has seen nothing yet.
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    public static byte[] of(byte[] bytes) {
        return begin().digest(bytes);
    }
}
