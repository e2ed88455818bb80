package io.tallis.cluster.records;

/// The two records that are kept for people: which nodes there are, and what happened.
public record Records(Registry registry, Chronicle chronicle) {}
