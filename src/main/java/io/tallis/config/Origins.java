package io.tallis.config;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The setting type of lists of web origins, with blanks between them, in the form in which browsers send them as the
/// header `Origin`. Any other text would never be equal to one. `null` is what a page without a site of its own sends,
/// such as a local file; `*` stands for all.
record Origins() implements SettingType<Set<String>> {
    private static final Pattern ORIGIN = Pattern.compile(
            "(?<scheme>[a-z][a-z0-9+.-]*)://(?:[a-z0-9._~-]+|\\[[0-9a-f:.]+])(?::(?<port>[1-9][0-9]{0,4}))?");

    private static final Set<String> WORDS = Set.of("*", "null");
    private static final int LAST_PORT = 65_535;

    @Override
    public Set<String> parse(String text) {
        Set<String> origins = new LinkedHashSet<>(List.of(text.strip().split("\\s+")));
        origins.remove("");
        origins.forEach(Origins::require);
        return Collections.unmodifiableSet(origins);
    }

    private static void require(String word) {
        Matcher origin = ORIGIN.matcher(word);
        boolean isOrigin = origin.matches() && maySend(origin.group("scheme"), origin.group("port"));
        if (!isOrigin && !WORDS.contains(word)) {
            throw new ConfigException("no browser sends '" + word + "' as an origin; expected scheme://host or"
                    + " scheme://host:port, in lower case, without a path and without the scheme's usual port,"
                    + " as https://app.example.org");
        }
    }

    /// A browser leaves out the usual port of a scheme. `port` is null if there is none.
    private static boolean maySend(String scheme, @Nullable String port) {
        return port == null
                || (Integer.parseInt(port) <= LAST_PORT
                        && !(scheme.equals("http") && port.equals("80"))
                        && !(scheme.equals("https") && port.equals("443")));
    }

    @Override
    public String canonical(String text) {
        return String.join(" ", parse(text));
    }

    @Override
    public String label() {
        return "origins";
    }
}
