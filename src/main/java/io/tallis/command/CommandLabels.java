package io.tallis.command;

import java.util.List;

/// What access control in Redis's terms is told of a command beyond its flags: what happens to its keys (`RW`,
/// `update`), and to which categories it belongs; empty where the flags, or the group, say that.
public record CommandLabels(List<String> access, List<String> categories) {}
