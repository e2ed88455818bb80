package io.tallis.config;

import java.util.Locale;

/// The value of `client-output-buffer-limit`: how many bytes of unread replies a client may have, by class of client.
public record OutputLimits(Limit normal, Limit pubsub) {

    /// The connection is closed above `hardBytes` at once, and above `softBytes` after `softSeconds`; 0 is no limit.
    public record Limit(long hardBytes, long softBytes, int softSeconds) {
        private String text() {
            return hardBytes + " " + softBytes + " " + softSeconds;
        }
    }

    private static final OutputLimits NONE = new OutputLimits(new Limit(0, 0, 0), new Limit(0, 0, 0));

    private String text() {
        return "normal " + normal.text() + " pubsub " + pubsub.text();
    }

    private OutputLimits with(String clientClass, Limit limit) {
        return switch (clientClass.toLowerCase(Locale.ROOT)) {
            case "normal" -> new OutputLimits(limit, pubsub);
            case "pubsub" -> new OutputLimits(normal, limit);
            // Accepted and ignored: the classes of Redis's replication connections, which do not exist here.
            case "replica", "slave" -> this;
            default -> throw new ConfigException("Invalid client class specified in buffer limit configuration.");
        };
    }

    /// The type: `class hard soft seconds`, once or several times. Classes that are not named keep their limits.
    record Type() implements SettingType<OutputLimits> {
        private static final int WORDS_PER_CLASS = 4;

        @Override
        public OutputLimits parse(String text) {
            return read(NONE, text);
        }

        @Override
        public String canonical(String text) {
            return parse(text).text();
        }

        @Override
        public String combine(String current, String given) {
            return read(parse(current), given).text();
        }

        @Override
        public boolean severalWords() {
            return true;
        }

        @Override
        public String label() {
            return "class hard soft seconds";
        }

        private static OutputLimits read(OutputLimits before, String text) {
            String[] words = text.strip().split("\\s+");
            if (words.length % WORDS_PER_CLASS != 0) {
                throw new ConfigException("Wrong number of arguments in buffer limit configuration.");
            }
            OutputLimits limits = before;
            for (int i = 0; i < words.length; i += WORDS_PER_CLASS) {
                limits = limits.with(words[i], limit(words, i + 1));
            }
            return limits;
        }

        private static Limit limit(String[] words, int from) {
            String expected = "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
            long seconds = SettingTypes.parseLong(words[from + 2], expected);
            if (seconds < 0 || seconds > Integer.MAX_VALUE) {
                throw new ConfigException(expected);
            }
            return new Limit(
                    SettingTypes.parseBytes(words[from], expected),
                    SettingTypes.parseBytes(words[from + 1], expected),
                    (int) seconds);
        }
    }
}
