package io.tallis.config;

/// The value of `notify-keyspace-events`: Redis's letters for classes of events and channels, in Redis's order.
record EventLetters() implements SettingType<String> {
    private static final String ALL = "g$lshzxetd";
    private static final String CHANNELS = "KE";

    @Override
    public String parse(String text) {
        for (char letter : text.toCharArray()) {
            if (letter == 'm' || letter == 'n') {
                throw new ConfigException("keys that are missed (m) and new ones (n) are not told");
            }
            if ((ALL + CHANNELS + "A").indexOf(letter) < 0) {
                throw new ConfigException("Invalid event class character. Use 'Ag$lshzxeKEtd'.");
            }
        }
        StringBuilder canonical = new StringBuilder();
        String given = text.replace("A", ALL);
        for (char letter : (ALL + CHANNELS).toCharArray()) {
            if (given.indexOf(letter) >= 0) {
                canonical.append(letter);
            }
        }
        return canonical.toString().replace(ALL, "A");
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
