package io.tallis.cluster.peer;

import io.tallis.cluster.records.Texts;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;

/// The part of a beat that is shown to people and decides nothing: the node's version, how long it has been running,
/// and the commands that it runs in a second at present.
///
/// ```
/// version: length (varint) and UTF-8 | seconds (varint) | commands (varint)
/// ```
public record Vitals(String version, long upSeconds, long commandsPerSecond) {
    public static final Vitals NONE = new Vitals("", 0, 0);

    private static final int MOST_VERSION_CHARS = 40;

    void write(ByteWriter out) {
        Texts.write(Texts.clean(version, MOST_VERSION_CHARS), out);
        out.varint(upSeconds);
        out.varint(commandsPerSecond);
    }

    static Vitals read(ByteReader in) throws MalformedException {
        return new Vitals(Texts.read(MOST_VERSION_CHARS, in), in.varint(), in.varint());
    }
}
