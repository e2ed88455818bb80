package io.tallis.journal.log;

/// The progress of loading at one moment: the cells read from the database and the bytes of the journal merged so far;
/// `cut` if an incomplete write at the journal's end was left out.
public record LoadingProgress(
        boolean done,
        double percent,
        long cells,
        long journalBytes,
        long journalBytesExpected,
        boolean cut,
        long elapsedMillis,
        long secondsLeft) {}
