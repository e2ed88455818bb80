package io.tallis.bench;

/// The two servers that are compared.
enum Side {
    TALLIS("Tallis"),
    REDIS("Redis");

    private final String title;

    Side(String title) {
        this.title = title;
    }

    /// The name for people.
    String title() {
        return title;
    }
}
