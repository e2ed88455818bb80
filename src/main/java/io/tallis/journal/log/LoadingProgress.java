package io.tallis.journal.log;

/// How far a start has come with its data: the cells taken from the database and the bytes of journal merged so
/// far; `cut` if the journal's end was not whole, and was left out.
public record LoadingProgress(
        boolean done,
        double percent,
        long cells,
        long journalBytes,
        long journalBytesExpected,
        boolean cut,
        long elapsedMillis,
        long secondsLeft) {}
