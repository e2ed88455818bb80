package io.tallis.server;

/// Which build this is.
public final class Version {
    /// From the manifest of the jar; classes that run from a directory have none.
    public static final String TEXT = text();

    private Version() {}

    private static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }
}
