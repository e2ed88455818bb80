package io.tallis.journal.log;

import java.nio.file.Path;

/// How the journal is kept.
///
/// `segmentBytes` is the size that segment files are made with; a checkpoint is due when `checkpointBytes` have
/// been written since the last one. `lostAfterSeconds` is how long a turn that the disk does not take is retried.
public record JournalSettings(Path dir, long segmentBytes, long checkpointBytes, int lostAfterSeconds) {}
