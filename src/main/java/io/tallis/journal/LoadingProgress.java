package io.tallis.journal;

/// How far a start has come with its data: the cells taken from the database and the bytes of journal merged so
/// far.
public record LoadingProgress(
        boolean done,
        double percent,
        long cells,
        long journalBytes,
        long journalBytesExpected,
        long elapsedMillis,
        long secondsLeft) {}
