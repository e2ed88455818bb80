package io.tallis.server;

/// The version of this build.
public final class Version {
    /// Version and commit, as `0.1.0+a6a7b7e5eb1c`, from the manifest of the jar. The commit is followed by `-dirty` if
    /// files had been changed, and `outside-git` if it was not known. `unreleased` if the classes are not in a jar.
    public static final String TEXT = text();

    private Version() {}

    private static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }
}
