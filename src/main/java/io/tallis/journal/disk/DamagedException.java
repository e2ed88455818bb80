package io.tallis.journal.disk;

import java.io.IOException;

/// Thrown when the data directory holds less than it should, so that a start from it would lose what was acknowledged.
/// The message names the file.
public final class DamagedException extends IOException {
    /// What an operator can do about a node that does not start.
    public static final String WHAT_TO_DO = "The server does not start over damage. If a file or directory was moved"
            + " away, put it back. Else move the data directory away and keep it: its backup/ has the backups. Put one of"
            + " them in its place; or, if other nodes of a cluster hold these counters, start with an empty directory and"
            + " --cluster-alone-timeout 0";

    private static final long serialVersionUID = 1;

    public DamagedException(String damage) {
        super(damage);
    }

    public DamagedException(String damage, Throwable cause) {
        super(damage, cause);
    }
}
