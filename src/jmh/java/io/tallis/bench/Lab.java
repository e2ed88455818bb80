package io.tallis.bench;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Where measures are taken: which servers there are, how large and how often, and empty servers on request.
record Lab(List<ServerKind> kinds, LoadTool tool, Sizes sizes, int rounds, Path directory, PrintWriter progress) {

    Set<Side> sides() {
        return kinds.stream().map(ServerKind::side).collect(Collectors.toCollection(() -> EnumSet.noneOf(Side.class)));
    }

    /// An empty server of this kind.
    Subject start(ServerKind kind, Fsync fsync) {
        return new Subject(kind, fsync, directory);
    }

    /// An empty server of each kind, side by side.
    Subjects startAll(Fsync fsync) {
        List<Subject> subjects = new ArrayList<>();
        try {
            for (ServerKind kind : kinds) {
                subjects.add(start(kind, fsync));
            }
        } catch (BenchException failure) {
            subjects.forEach(Subject::close);
            throw failure;
        }
        return new Subjects(subjects);
    }

    /// A group of so many servers of this kind, empty.
    Group startGroup(ServerKind kind, int size) {
        return new Group(kind, kind.replication(), size, directory);
    }

    /// A group of three of each kind, side by side.
    Groups startGroups() {
        List<Group> groups = new ArrayList<>();
        try {
            for (ServerKind kind : kinds) {
                groups.add(startGroup(kind, Groups.SIZE));
            }
        } catch (BenchException failure) {
            groups.forEach(Group::close);
            throw failure;
        }
        return new Groups(groups);
    }

    /// Tells those who wait what has just been found.
    void say(String format, Object... values) {
        progress.printf(Locale.ROOT, format + "%n", values);
        progress.flush();
    }

    /// Groups that are compared with each other.
    record Groups(List<Group> all) implements AutoCloseable {
        static final int SIZE = 3;

        @Override
        public void close() {
            all.forEach(Group::close);
        }
    }

    /// Servers that are compared with each other.
    record Subjects(List<Subject> all) implements AutoCloseable {
        @Override
        public void close() {
            all.forEach(Subject::close);
        }
    }
}
