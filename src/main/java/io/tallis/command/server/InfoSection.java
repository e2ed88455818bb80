package io.tallis.command.server;

/// One section of `INFO`, told by the part that knows.
public interface InfoSection {
    /// In lower case, as it is asked for.
    String name();

    /// Whether `INFO` shows it when no section is named.
    default boolean shownByDefault() {
        return true;
    }

    /// Adds the fields. Any thread, at any time.
    void tell(InfoFields fields);

    static InfoSection of(String name, Teller teller) {
        return new Told(name, true, teller);
    }

    /// A section that is only shown when it, or all, is asked for.
    static InfoSection onDemand(String name, Teller teller) {
        return new Told(name, false, teller);
    }

    /// Adds fields.
    @FunctionalInterface
    interface Teller {
        void tell(InfoFields fields);
    }

    /// A section made of its parts.
    record Told(String name, boolean shownByDefault, Teller teller) implements InfoSection {
        @Override
        public void tell(InfoFields fields) {
            teller.tell(fields);
        }
    }
}
