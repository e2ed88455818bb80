package io.tallis.runtime;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256 without checked exceptions.
public final class Sha256 {
    private Sha256() {}

    /// A new digest, for input that comes in parts.
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
