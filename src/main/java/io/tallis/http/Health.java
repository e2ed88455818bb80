package io.tallis.http;

/// Whether the node serves all data that it should have: `state` in one word, `reason` a sentence that is empty when
/// the node is well.
public record Health(boolean isWell, String state, String reason) {}
