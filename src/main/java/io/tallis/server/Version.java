package io.tallis.server;

/// Which build this is.
public final class Version {
    /// From the manifest of the jar; classes that run from a directory have none.
    public static final String TEXT = text();

    /// What clients take us for: the release of Redis whose commands and answers we keep to.
    public static final String REDIS = "7.2.4";

    private Version() {}

    private static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }
}
