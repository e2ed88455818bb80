package io.tallis.transcript;

import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.util.function.Consumer;

/// The connection of a [FakeClient].
final class FakeLink implements Link {
    private final int number;
    private final Reply reply;
    private boolean closed;

    FakeLink(int number, Reply reply) {
        this.number = number;
        this.reply = reply;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String remoteAddress() {
        return "127.0.0.1:" + (50000 + number);
    }

    @Override
    public String localAddress() {
        return "127.0.0.1:6379";
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void send(int bytes, Consumer<Reply> message) {
        if (!closed) {
            message.accept(reply);
        }
    }

    @Override
    public void kill() {
        closed = true;
    }

    @Override
    public void closeAfterReplies() {
        closed = true;
    }

    @Override
    public Suspension suspend() {
        return answer -> answer.accept(reply);
    }

    @Override
    public int descriptor() {
        return number;
    }

    @Override
    public Buffers buffers() {
        return new Buffers(0, 0, 0, 0, 0, 0, true, false);
    }
}
