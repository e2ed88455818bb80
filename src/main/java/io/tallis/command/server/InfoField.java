package io.tallis.command.server;

import java.util.List;

/// One field of an `INFO` section: a name with a typed value, which each rendering formats in its own way.
public sealed interface InfoField {
    String name();

    /// A count or another whole number without a unit.
    record Count(String name, long value) implements InfoField {}

    /// A size in bytes, which people are also shown in a larger unit.
    record Bytes(String name, long value) implements InfoField {}

    record Flag(String name, boolean value) implements InfoField {}

    /// A number with so many decimal places.
    record Decimal(String name, double value, int places) implements InfoField {}

    record Percent(String name, double value) implements InfoField {}

    record Text(String name, String value) implements InfoField {}

    /// Several values about one thing, such as a command, a peer or a database.
    record Group(String name, List<InfoField> members) implements InfoField {}
}
