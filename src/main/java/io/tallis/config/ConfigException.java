package io.tallis.config;

/// A setting has an invalid value, or does not exist. The message is for the operator, one line for each mistake.
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ConfigException(String message) {
        super(message, null, false, false);
    }
}
