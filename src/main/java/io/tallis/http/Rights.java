package io.tallis.http;

/// What a request is let in for, see [Access].
enum Rights {
    /// Without the password: probes and the files of the page.
    NONE,
    READ,
    CHANGE
}
