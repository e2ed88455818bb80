package io.tallis.watch;

import io.tallis.crdt.Cell;
import io.tallis.keyspace.Key;
import io.tallis.watch.Watching.Format;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Who watches what, and the news for them: those who watch the same topic share the work.
final class Audiences {
    /// How much a reading takes besides its name, about.
    private static final int READING_BYTES = 64;

    private final Readings readings;
    private final Map<Topic, Audience> byTopic = new HashMap<>();
    private final List<Audience> byPrefix = new ArrayList<>();
    private final Map<ByteBuffer, List<Audience>> byName = new HashMap<>();

    private static final class Audience {
        private final Topic topic;
        private final List<Watcher> watchers = new ArrayList<>();
        private final List<Reading> news = new ArrayList<>();

        Audience(Topic topic) {
            this.topic = topic;
        }
    }

    Audiences(Readings readings) {
        this.readings = readings;
    }

    void add(Watcher watcher) {
        byTopic.computeIfAbsent(watcher.topic(), this::opened).watchers.add(watcher);
    }

    private Audience opened(Topic topic) {
        var audience = new Audience(topic);
        if (topic.isOfPrefix()) {
            byPrefix.add(audience);
        }
        for (ByteBuffer name : topic.names()) {
            byName.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(audience);
        }
        return audience;
    }

    void remove(Watcher watcher) {
        Topic topic = watcher.topic();
        Audience audience = byTopic.get(topic);
        if (audience != null && audience.watchers.remove(watcher) && audience.watchers.isEmpty()) {
            byTopic.remove(topic);
            byPrefix.remove(audience);
            for (ByteBuffer name : topic.names()) {
                byName.computeIfPresent(name, (_, all) -> {
                    all.remove(audience);
                    return all.isEmpty() ? null : all;
                });
            }
        }
    }

    /// Takes a cell that changed, for those who watch it. Returns how many bytes that takes.
    int take(Key key, Cell cell) {
        int bytes = 0;
        for (Audience audience : byPrefix) {
            if (audience.topic.matches(key)) {
                bytes += take(audience, key, cell);
            }
        }
        if (!byName.isEmpty()) {
            ByteBuffer name = ByteBuffer.wrap(key.array(), key.offset(), key.length());
            for (Audience audience : byName.getOrDefault(name, List.of())) {
                bytes += take(audience, key, cell);
            }
        }
        return bytes;
    }

    private int take(Audience audience, Key key, Cell cell) {
        if (audience.topic.type() != cell.type()) {
            return 0;
        }
        audience.news.add(readings.of(key.toByteArray(), cell, audience.topic.raw()));
        return key.length() + READING_BYTES;
    }

    /// Encodes what was taken, once for each topic, and tells it.
    void tellNews(Format format) {
        for (Audience audience : byTopic.values()) {
            if (!audience.news.isEmpty()) {
                ByteArrayOutputStream encoded = new ByteArrayOutputStream();
                audience.news.forEach(reading -> format.reading(reading, encoded));
                audience.news.clear();
                byte[] news = encoded.toByteArray();
                audience.watchers.forEach(watcher -> watcher.tell(news));
            }
        }
    }
}
