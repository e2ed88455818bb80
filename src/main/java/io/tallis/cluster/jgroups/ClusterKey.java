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
import java.util.List;
import java.util.Set;

/// The file of a cluster's keys: one or two lines, each a key of 256 bits as 64 hexadecimal digits.
///
/// A node sends with the first key and accepts both, which allows to change the key of a running cluster.
public final class ClusterKey {
    private static final int BYTES = 32;
    private static final int MOST_KEYS = 2;
    private static final String OWNER_ONLY = "rw-------";
    private static final Set<PosixFilePermission> FOR_OTHERS =
            EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private ClusterKey() {}

    /// Writes a new key to a new file that only its owner may read. Throws [TransportException] if the file exists or
    /// cannot be made.
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
            throw new TransportException(file + " exists, and a key in use must not be lost");
        } catch (NoSuchFileException _) {
            throw new TransportException("cannot write " + file + ": there is no such directory");
        } catch (IOException failed) {
            throw new TransportException("cannot write " + file + ": " + failed.getMessage());
        }
    }

    /// The keys of the file, the one to send with first. Throws [TransportException] if it does not hold keys.
    static List<byte[]> read(Path file) {
        try {
            List<String> lines = Files.readString(file, StandardCharsets.US_ASCII)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
            if (lines.isEmpty() || lines.size() > MOST_KEYS) {
                throw new TransportException("cluster-key-file " + file + " has " + lines.size()
                        + " lines, not one key or two; make one by tallis keygen");
            }
            return lines.stream().map(line -> parsed(file, line)).toList();
        } catch (NoSuchFileException _) {
            throw new TransportException("cluster-key-file " + file + " does not exist; make one by tallis keygen");
        } catch (AccessDeniedException _) {
            throw new TransportException("cannot read cluster-key-file " + file + ": permission denied");
        } catch (IOException unreadable) {
            throw new TransportException("cannot read cluster-key-file " + file + ": " + unreadable.getMessage());
        }
    }

    private static byte[] parsed(Path file, String line) {
        if (line.length() == 2 * BYTES) {
            try {
                return HexFormat.of().parseHex(line);
            } catch (IllegalArgumentException _) {
                // The one message below serves both.
            }
        }
        throw new TransportException("cluster-key-file " + file + " has a line that is not a key of " + 2 * BYTES
                + " hexadecimal digits; make one by tallis keygen");
    }

    /// Whether every user of this machine may read or change the file.
    static boolean isOpenToAll(Path file) {
        try {
            return Files.getPosixFilePermissions(file).stream().anyMatch(FOR_OTHERS::contains);
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
