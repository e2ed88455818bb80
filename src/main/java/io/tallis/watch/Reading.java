package io.tallis.watch;

import java.math.BigInteger;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// A counter as it was read: its name as UTF-8, whether it exists, its value, which is null for a text and for one that
/// does not exist, and the contributions of the nodes if the topic asks for them.
public record Reading(
        String name,
        boolean exists,
        @Nullable BigInteger value,
        @Nullable SequencedMap<String, BigInteger> contributions) {}
