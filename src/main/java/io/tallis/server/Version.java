package io.tallis.server;

/// The version of this build.
public final class Version {
    /// From the manifest of the jar; `unreleased` if the classes are not in a jar.
    public static final String TEXT = text();

    private Version() {}

    private static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }
}
