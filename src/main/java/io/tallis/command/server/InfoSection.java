package io.tallis.command.server;

import java.util.List;
import java.util.function.Consumer;

/// A section of `INFO`: a name, and how to get its fields at any time. `name` is in lower case. A section that is not
/// shown by default appears only when a client asks for it, or for all.
public record InfoSection(String name, boolean shownByDefault, Consumer<InfoFields> source) {
    public static InfoSection of(String name, Consumer<InfoFields> source) {
        return new InfoSection(name, true, source);
    }

    public static InfoSection onDemand(String name, Consumer<InfoFields> source) {
        return new InfoSection(name, false, source);
    }

    /// The fields as they are now. Any thread may call this.
    public List<InfoField> fields() {
        InfoFields fields = new InfoFields();
        source.accept(fields);
        return fields.list();
    }
}
