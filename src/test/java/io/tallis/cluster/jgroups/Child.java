package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Exit code and output of a process that has ended.
record Child(int code, List<String> lines) {
    /// Runs a class of the tests in a JVM of its own.
    static Child run(Class<?> main, List<String> options, String... arguments) throws IOException {
        return run(java(main, options, arguments));
    }

    static List<String> java(Class<?> main, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    static Child run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Child(process.waitFor(), output.lines().toList());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The output, if the exit code is 0.
    List<String> requireSuccess() {
        assertThat(code).as(String.join("\n", lines)).isZero();
        return lines;
    }
}
