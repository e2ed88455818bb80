package io.tallis.command.facts;

import java.util.List;

/// One argument of a command, in the terms of `COMMAND DOCS`.
///
/// `token` is the fixed word before the value or in place of it, or empty. `parts` are the alternatives of a choice or
/// the members of a block.
public record Argument(String name, Type type, String token, boolean optional, boolean multiple, List<Argument> parts) {

    /// The kind of value.
    public enum Type {
        KEY("key"),
        INTEGER("integer"),
        STRING("string"),
        PATTERN("pattern"),
        PURE_TOKEN("pure-token"),
        ONEOF("oneof"),
        BLOCK("block");

        private final String redisName;

        Type(String redisName) {
            this.redisName = redisName;
        }

        public String redisName() {
            return redisName;
        }
    }

    Argument asOptional() {
        return new Argument(name, type, token, true, multiple, parts);
    }

    Argument asMultiple() {
        return new Argument(name, type, token, optional, true, parts);
    }

    /// The argument as a person writes it: `[MATCH pattern]`, `key [key ...]`.
    public String usage() {
        String once = once();
        String all = multiple ? once + " [" + once + " ...]" : once;
        return optional ? "[" + all + "]" : all;
    }

    private String once() {
        return switch (type) {
            case PURE_TOKEN -> token;
            case ONEOF -> joined(" | ");
            case BLOCK -> joined(" ");
            case KEY, INTEGER, STRING, PATTERN -> token.isEmpty() ? name : token + " " + name;
        };
    }

    private String joined(String separator) {
        return String.join(separator, parts.stream().map(Argument::usage).toList());
    }
}
