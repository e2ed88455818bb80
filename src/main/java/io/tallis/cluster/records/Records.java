package io.tallis.cluster.records;

/// What is kept for people: which nodes there are, and what happened.
public record Records(Registry registry, Chronicle chronicle) {}
