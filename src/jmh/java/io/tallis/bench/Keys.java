package io.tallis.bench;

/// The keys of all measures: 16 bytes, `key:` and twelve digits, as redis-benchmark writes them.
final class Keys {
    static final int DIGITS = 12;

    /// What redis-benchmark replaces by the digits of a random number.
    static final String RANDOM = "key:__rand_int__";

    private static final String PREFIX = "key:";

    private Keys() {}

    /// A number of keys, or of requests, for people: 1000 is 1k, 10000000 is 10M.
    static String count(long keys) {
        if (keys % 1_000_000 == 0) {
            return keys / 1_000_000 + "M";
        }
        return keys % 1_000 == 0 ? keys / 1_000 + "k" : Long.toString(keys);
    }

    static String name(long number) {
        String digits = Long.toString(number);
        return PREFIX + "0".repeat(DIGITS - digits.length()) + digits;
    }
}
