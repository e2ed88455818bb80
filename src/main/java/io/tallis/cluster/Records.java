package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import org.jspecify.annotations.Nullable;

/// What is kept for people: which nodes there are, and what happened.
public record Records(Registry registry, Chronicle chronicle) {
    /// Records that begin empty, are logged nowhere and end with the session.
    static Records ofThisSession(Self self, ReplicaId session) {
        return new Records(new Registry(self, session, new Nowhere()), new Chronicle(self, session, () -> 0, _ -> {}));
    }

    private static final class Nowhere implements Registry.Store {
        @Override
        public byte @Nullable [] load() {
            return null;
        }

        @Override
        public void save(byte[] bytes) {}
    }
}
