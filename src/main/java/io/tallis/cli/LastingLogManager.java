package io.tallis.cli;

import java.util.logging.LogManager;

/// A log that lasts until the process is gone: the library's own closes its handlers as soon as the process is told
/// to end, and what is done and may fail after that would be told to nobody.
///
/// Public, with a public constructor, because the library makes it.
public final class LastingLogManager extends LogManager {
    public LastingLogManager() {}

    @Override
    public void reset() {}
}
