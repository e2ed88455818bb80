package io.tallis.server;

import io.tallis.command.server.Later;
import io.tallis.runtime.Background;
import io.tallis.runtime.LongTasks;
import java.time.Duration;

/// Does for commands what would keep an event loop.
record BackgroundTasks(Background background, LongTasks longTasks) implements Later {
    @Override
    public void after(Duration delay, Runnable task) {
        background.after(delay, task);
    }

    @Override
    public boolean onItsOwn(String thread, Runnable task) {
        return longTasks.add(thread, task);
    }
}
