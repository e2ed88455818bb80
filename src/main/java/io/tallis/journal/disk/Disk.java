package io.tallis.journal.disk;

import java.io.IOException;
import java.util.List;

/// The files of one directory, with just the operations that the journal's promises rest on.
///
/// A port, so that tests can supply a disk that fails, stalls, or forgets at a crash what was not synced.
public interface Disk {
    /// The names of all files, in no order.
    List<String> names() throws IOException;

    /// Makes an empty file, and replaces one of that name.
    DiskFile create(String name) throws IOException;

    DiskFile open(String name) throws IOException;

    /// How long a file is.
    default long size(String name) throws IOException {
        try (DiskFile file = open(name)) {
            return file.size();
        }
    }

    /// Renames a file, and replaces one of the new name. A crash leaves the old or the new state.
    void rename(String from, String to) throws IOException;

    /// Deletes a file if it is there.
    void delete(String name) throws IOException;

    /// Whether a file has other hard links: to overwrite it would change a copy that was made by links.
    default boolean hasOtherNames(String name) throws IOException {
        return false;
    }

    /// Returns when names that were made, changed or deleted before are durable.
    void sync() throws IOException;

    /// Where the file is, for people.
    String describe(String name);

    /// Something that the disk may refuse.
    @FunctionalInterface
    interface Task {
        void run() throws IOException;
    }
}
