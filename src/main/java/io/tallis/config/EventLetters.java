package io.tallis.config;

/// The value of `notify-keyspace-events`: Redis's letters for classes of events and channels, in Redis's order.
record EventLetters() implements SettingType<String> {
    private static final String ALL = "g$lshzxetd";
    private static final String CHANNELS = "KE";

    @Override
    public String parse(String text) {
        text.chars().forEach(EventLetters::require);
        String given = text.replace("A", ALL);
        StringBuilder canonical = new StringBuilder();
        (ALL + CHANNELS).chars().filter(letter -> given.indexOf(letter) >= 0).forEach(canonical::appendCodePoint);
        return canonical.toString().replace(ALL, "A");
    }

    private static void require(int letter) {
        if (letter == 'm' || letter == 'n') {
            throw new ConfigException("keys that are missed (m) and new ones (n) are not told");
        }
        if ((ALL + CHANNELS + "A").indexOf(letter) < 0) {
            throw new ConfigException("Invalid event class character. Use 'Ag$lshzxeKEtd'.");
        }
    }

    @Override
    public String canonical(String text) {
        return parse(text);
    }

    @Override
    public String label() {
        return "letters";
    }
}
