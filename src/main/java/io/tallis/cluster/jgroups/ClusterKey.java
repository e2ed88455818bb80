package io.tallis.cluster.jgroups;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/// The secret that makes a process a node of its cluster: 256 bits, in a file as 64 hexadecimal digits.
///
/// Every message has a random nonce of 96 bits under this key, so a key is to be replaced before some 2^32
/// messages.
public final class ClusterKey {
    static final String ALGORITHM = "ChaCha20-Poly1305";

    private static final int BYTES = 32;
    private static final String OWNER_ONLY = "rw-------";
    private static final Set<PosixFilePermission> FOR_OTHERS =
            EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private ClusterKey() {}

    /// Makes a key, in a new file that only its owner may read. Throws [TransportException] where there is a file
    /// already, or none can be.
    public static void generate(Path file, Randomness randomness) {
        ByteBuffer key = ByteBuffer.allocate(BYTES);
        while (key.hasRemaining()) {
            key.putLong(randomness.nextLong());
        }
        byte[] text = (HexFormat.of().formatHex(key.array()) + "\n").getBytes(StandardCharsets.US_ASCII);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY));
        try (SeekableByteChannel channel = Files.newByteChannel(file, Set.of(CREATE_NEW, WRITE), ownerOnly)) {
            ByteBuffer left = ByteBuffer.wrap(text);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (FileAlreadyExistsException _) {
            throw new TransportException(file + " is there already, and a key in use must not be lost");
        } catch (NoSuchFileException _) {
            throw new TransportException("cannot write " + file + ": there is no such directory");
        } catch (IOException failed) {
            throw new TransportException("cannot write " + file + ": " + failed.getMessage());
        }
    }

    /// Throws [TransportException] when there is no key in the file.
    static SecretKey read(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            return new SecretKeySpec(parsed(file, text), ALGORITHM);
        } catch (NoSuchFileException _) {
            throw new TransportException("cluster-key-file " + file + " is not there; make one by tallis keygen");
        } catch (AccessDeniedException _) {
            throw new TransportException("cannot read cluster-key-file " + file + ": permission denied");
        } catch (IOException unreadable) {
            throw new TransportException("cannot read cluster-key-file " + file + ": " + unreadable.getMessage());
        }
    }

    private static byte[] parsed(Path file, String text) {
        if (text.length() == 2 * BYTES) {
            try {
                return HexFormat.of().parseHex(text);
            } catch (IllegalArgumentException _) {
                // The one message below serves both.
            }
        }
        throw new TransportException("cluster-key-file " + file + " does not hold a key of " + 2 * BYTES
                + " hexadecimal digits; make one by tallis keygen");
    }

    /// Whether everybody on this machine may read or change the file.
    static boolean isOpenToAll(Path file) {
        try {
            return Files.getPosixFilePermissions(file).stream().anyMatch(FOR_OTHERS::contains);
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
