package io.tallis.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The pages for engineers name packages, classes and methods; a rename must not leave an old name there.
final class PagesTest {
    private static final Path PAGES = Path.of("src/site/markdown");
    private static final Path MAIN = Path.of("src/main/java/io/tallis");
    private static final List<String> PAGES_ABOUT_CODE = List.of("architecture.md", "replication.md", "storage.md");

    /// A class, perhaps with one of its methods or fields, perhaps behind its package.
    private static final Pattern MEMBER = Pattern.compile("`(?:[a-z]+\\.)*([A-Z]\\w+)\\.([a-z]\\w+)`");

    private static final Pattern PACKAGE = Pattern.compile("`(\\.?[a-z][a-z.]*)`");

    @Test
    void pages_thatNameAMember_nameOneThatExists() throws IOException {
        Map<String, String> sources = sources();
        List<String> unknown = new ArrayList<>();
        for (String page : PAGES_ABOUT_CODE) {
            for (MatchResult member : matches(MEMBER, Files.readString(PAGES.resolve(page)))) {
                String source = sources.getOrDefault(member.group(1), "");
                if (!Pattern.compile("\\b" + member.group(2) + "\\b")
                        .matcher(source)
                        .find()) {
                    unknown.add(page + ": " + member.group());
                }
            }
        }

        assertThat(unknown).isEmpty();
    }

    @Test
    void architecturePage_listsEachPackage() throws IOException {
        String table = Files.readString(PAGES.resolve("architecture.md"))
                .split("## Packages, in reading order", 2)[1]
                .split("\n\n", 3)[1];
        Set<String> listed = new TreeSet<>();
        table.lines().map(row -> row.split("\\|", -1)[1]).forEach(names -> {
            String parent = "";
            for (MatchResult name : matches(PACKAGE, names)) {
                String text = name.group(1);
                // `journal.backup`, `.disk`: the second has the parent of the first.
                parent = text.startsWith(".") ? parent : text.substring(0, Math.max(0, text.lastIndexOf('.')));
                listed.add(text.startsWith(".") ? parent + text : text);
            }
        });

        assertThat(listed).isEqualTo(packages());
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }

    private static Set<String> packages() throws IOException {
        try (Stream<Path> files = Files.walk(MAIN)) {
            Set<String> packages = new TreeSet<>();
            files.filter(file -> file.endsWith("package-info.java"))
                    .map(file -> MAIN.relativize(file.getParent()).toString().replace('/', '.'))
                    .forEach(packages::add);
            return packages;
        }
    }

    /// The texts of the classes, by their simple names.
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(MAIN)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
        return sources;
    }
}
