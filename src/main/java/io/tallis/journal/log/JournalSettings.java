package io.tallis.journal.log;

import java.nio.file.Path;

/// The settings of the journal.
///
/// `segmentBytes` is the size of segment files; a checkpoint is due when `checkpointBytes` have been written since the
/// last one. `lostAfterSeconds` is how long the write of a turn is retried.
public record JournalSettings(Path dir, long segmentBytes, long checkpointBytes, int lostAfterSeconds) {}
