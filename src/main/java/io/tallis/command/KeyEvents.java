package io.tallis.command;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import java.util.ArrayList;
import java.util.List;

/// The events of the present request of an event loop, and the keys that it changed while clients cache keys: to be
/// told when the request is done and holds no lock. Belongs to that event loop.
///
/// What bounds it is the bound of a request or a transaction, whose keys are copied.
public final class KeyEvents {
    private final Live<Integer> flags;
    private List<Entry> entries = new ArrayList<>();
    private List<ByteString> changed = new ArrayList<>();

    /// An event and its key.
    public record Entry(KeyEvent event, ByteString key) {}

    /// `flags` are those of [KeyEvent#flags], 0 if nothing is to be told.
    public KeyEvents(Live<Integer> flags) {
        this.flags = flags;
    }

    /// Whether anything is to be told.
    boolean areWanted() {
        return flags.now() != 0;
    }

    public void add(KeyEvent event, Key key) {
        if (event.isIn(flags.now())) {
            entries.add(new Entry(event, new ByteString(key.toByteArray())));
        }
    }

    /// A key was changed that clients may have cached.
    public void changed(CounterType type, Key key) {
        changed.add(new ByteString(key.name(type)));
    }

    public boolean any() {
        return !entries.isEmpty() || !changed.isEmpty();
    }

    /// Gives up the keys that were changed.
    public List<ByteString> takeChanged() {
        List<ByteString> taken = changed;
        changed = new ArrayList<>();
        return taken;
    }

    /// Gives up the events, in their order.
    public List<Entry> take() {
        List<Entry> taken = entries;
        entries = new ArrayList<>();
        return taken;
    }
}
