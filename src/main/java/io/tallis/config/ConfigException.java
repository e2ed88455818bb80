package io.tallis.config;

/// A setting cannot be as the operator wrote it. The message is one line for the operator.
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ConfigException(String message) {
        super(message, null, false, false);
    }
}
