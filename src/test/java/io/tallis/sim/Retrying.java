package io.tallis.sim;

import io.tallis.testing.Gen;

/// Whether there are clients that try again when they were not answered, and the source of what they do.
record Retrying(Gen gen, boolean happens) {
    static final Retrying NONE = new Retrying(new Gen(0), false);

    static Retrying draw(Gen gen) {
        return new Retrying(gen, true);
    }
}
