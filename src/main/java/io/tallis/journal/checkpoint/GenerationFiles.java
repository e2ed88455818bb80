package io.tallis.journal.checkpoint;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.runtime.Directories;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/// The generations of the database in a data directory: `cells-1/`, `cells-2/`, ..., and `current`, which names the one
/// in use.
public final class GenerationFiles implements Generations.Files {
    public static final String CELLS = "cells-";
    static final String CURRENT = "current";

    private final DataDirectory directory;
    private final CellStore.Opener opener;

    public GenerationFiles(DataDirectory directory, CellStore.Opener opener) {
        this.directory = directory;
        this.opener = opener;
    }

    @Override
    public long current() throws IOException {
        try {
            return numberOf(Files.readString(directory.root().resolve(CURRENT), StandardCharsets.ISO_8859_1)
                    .strip());
        } catch (NoSuchFileException _) {
            return 0;
        }
    }

    private static long numberOf(String name) {
        try {
            return name.startsWith(CELLS) ? Long.parseLong(name.substring(CELLS.length())) : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    @Override
    public void use(long number) throws IOException {
        directory.requireHeld();
        write(directory.root(), number);
    }

    /// Writes the file `current` of a directory.
    public static void write(Path directory, long number) throws IOException {
        WholeFile.replace(directory.resolve(CURRENT), StandardCharsets.US_ASCII.encode(name(number) + "\n"));
    }

    public static String name(long number) {
        return CELLS + number;
    }

    private Path path(long number) {
        return directory.root().resolve(name(number));
    }

    @Override
    public List<Long> numbers() throws IOException {
        return Directories.list(directory.root()).stream()
                .map(file -> numberOf(file.getFileName().toString()))
                .filter(number -> number > 0)
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    @Override
    public CellStore create(long number) throws IOException {
        directory.requireHeld();
        Path cells = path(number);
        if (Files.exists(cells)) {
            Directories.deleteTree(cells);
        }
        Files.createDirectory(cells);
        Directories.sync(directory.root());
        return opener.open(cells);
    }

    /// What an operator has just copied here may be with the operating system only, so it is synced first.
    @Override
    public CellStore open(long number) throws IOException {
        Path cells = path(number);
        if (!Files.isDirectory(cells)) {
            throw new DamagedException(
                    number == 0
                            ? "the file " + directory.root().resolve(CURRENT) + " is missing or damaged"
                            : "the directory " + cells + " is gone");
        }
        Directories.syncFiles(cells);
        return opener.open(cells);
    }

    @Override
    public void delete(long number) throws IOException {
        directory.requireHeld();
        Directories.deleteTree(path(number));
    }

    @Override
    public String describe(long number) {
        return path(number).toString();
    }
}
