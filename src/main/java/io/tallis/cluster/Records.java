package io.tallis.cluster;

/// What is kept for people: which nodes there are, and what happened.
public record Records(Registry registry, Chronicle chronicle) {}
