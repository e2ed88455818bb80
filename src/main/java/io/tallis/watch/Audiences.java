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

/// Which watcher has which topic, and the news for them. Watchers of the same topic share the work.
final class Audiences {
    /// How much a reading takes besides its name, about.
    private static final int READING_BYTES = 64;

    private final Readings readings;
    private final Map<Topic, Audience> byTopic = new HashMap<>();
    private final Map<ByteBuffer, List<Audience>> byName = new HashMap<>();

    /// By length and text: a name has as many prefixes to look up as there are lengths, not as there are topics.
    private final Map<Integer, Map<ByteBuffer, List<Audience>>> byPrefix = new HashMap<>();

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
            ByteBuffer prefix = topic.prefix();
            byPrefix.computeIfAbsent(prefix.remaining(), _ -> new HashMap<>())
                    .computeIfAbsent(prefix, _ -> new ArrayList<>(1))
                    .add(audience);
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
            if (topic.isOfPrefix()) {
                byPrefix.computeIfPresent(topic.prefix().remaining(), (_, ofLength) -> {
                    remove(audience, topic.prefix(), ofLength);
                    return ofLength.isEmpty() ? null : ofLength;
                });
            }
            topic.names().forEach(name -> remove(audience, name, byName));
        }
    }

    private static void remove(Audience audience, ByteBuffer text, Map<ByteBuffer, List<Audience>> from) {
        from.computeIfPresent(text, (_, all) -> {
            all.remove(audience);
            return all.isEmpty() ? null : all;
        });
    }

    /// Takes a cell that changed, for its watchers. Returns how many bytes that takes.
    int take(Key key, Cell cell) {
        int bytes = 0;
        for (Map.Entry<Integer, Map<ByteBuffer, List<Audience>>> ofLength : byPrefix.entrySet()) {
            int length = ofLength.getKey();
            if (key.length() >= length) {
                bytes += take(ofLength.getValue(), length, key, cell);
            }
        }
        return byName.isEmpty() ? bytes : bytes + take(byName, key.length(), key, cell);
    }

    private int take(Map<ByteBuffer, List<Audience>> byText, int length, Key key, Cell cell) {
        int bytes = 0;
        for (Audience audience : byText.getOrDefault(ByteBuffer.wrap(key.array(), key.offset(), length), List.of())) {
            bytes += take(audience, key, cell);
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
