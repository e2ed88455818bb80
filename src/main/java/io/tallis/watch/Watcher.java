package io.tallis.watch;

import io.tallis.watch.Watching.Format;
import io.tallis.watch.Watching.Subscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// One who watches: what it has been told, and what it has to be told. Belongs to the thread of [Watching], but for
/// [#close].
public final class Watcher implements AutoCloseable {
    /// A connection is not silent for longer, so that proxies keep it.
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Watching watching;
    private final Topic topic;
    private final Subscriber subscriber;
    private final Walk walk = new Walk();
    private List<byte[]> events = new ArrayList<>();
    private boolean missed;
    private long toldAt;

    Watcher(Watching watching, Topic topic, Subscriber subscriber, long now) {
        this.watching = watching;
        this.topic = topic;
        this.subscriber = subscriber;
        toldAt = now;
    }

    Topic topic() {
        return topic;
    }

    Subscriber subscriber() {
        return subscriber;
    }

    Walk walk() {
        return walk;
    }

    /// Takes news of the topic, unless the connection takes no bytes.
    void tell(byte[] news) {
        if (subscriber.isWritable()) {
            events.add(news);
        } else {
            missed = true;
        }
    }

    /// Whether present values are due and the connection takes them.
    boolean mayWalk(Format format) {
        if (!subscriber.isWritable()) {
            return false;
        }
        if (missed) {
            missed = false;
            events.add(format.missed());
            walk.beginAgain();
        }
        return !walk.isDone();
    }

    /// Takes what a step of the walk has read.
    void takePresent(byte[] present, Format format) {
        if (present.length > 0) {
            events.add(present);
        }
        if (walk.isDone()) {
            events.add(format.complete());
        }
    }

    /// Gives up what is to be sent now.
    List<byte[]> takeEvents(long now, Format format) {
        List<byte[]> due = events;
        if (due.isEmpty() && now - toldAt >= QUIET_NANOS && subscriber.isWritable()) {
            due = List.of(format.nothing());
        } else {
            events = new ArrayList<>();
        }
        if (!due.isEmpty()) {
            toldAt = now;
        }
        return due;
    }

    /// Ends it; events that are on their way may follow. Any thread may call.
    @Override
    public void close() {
        watching.end(this);
    }
}
