/// The data directory and the operations on files that the promises of storage rest on.
///
/// Owns the lock of the directory, the port to the disk with its adapter to the operating system, and the words for
/// failures of the disk. Knows nothing of what is in the files. No threads.
///
/// Read [DataDirectory] and [Place], then [Disk] with [DiskFile] and [NioDisk]. [DamagedException] and
/// [DataDirectoryException] are the two failures that a start reports by themselves.
@NullMarked
package io.tallis.journal.disk;

import org.jspecify.annotations.NullMarked;
