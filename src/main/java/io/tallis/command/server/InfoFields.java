package io.tallis.command.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Collects the fields of one `INFO` section, in order.
public final class InfoFields {
    private final List<InfoField> fields = new ArrayList<>();

    public InfoFields field(String name, String value) {
        return add(new InfoField.Text(name, value));
    }

    public InfoFields field(String name, long value) {
        return add(new InfoField.Count(name, value));
    }

    public InfoFields flag(String name, boolean value) {
        return add(new InfoField.Flag(name, value));
    }

    /// Fields that are always 0, because they count something that does not exist in this server.
    public InfoFields never(String... names) {
        for (String name : names) {
            field(name, 0);
        }
        return this;
    }

    public InfoFields percent(String name, double value) {
        return add(new InfoField.Percent(name, value));
    }

    public InfoFields decimal(String name, double value, int places) {
        return add(new InfoField.Decimal(name, value, places));
    }

    public InfoFields bytes(String name, long value) {
        return add(new InfoField.Bytes(name, value));
    }

    /// A field that consists of several values.
    public InfoFields group(String name, Consumer<InfoFields> members) {
        InfoFields group = new InfoFields();
        members.accept(group);
        return add(new InfoField.Group(name, group.list()));
    }

    private InfoFields add(InfoField field) {
        fields.add(field);
        return this;
    }

    public List<InfoField> list() {
        return List.copyOf(fields);
    }
}
