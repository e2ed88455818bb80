package io.tallis.command;

import io.tallis.keyspace.Counters;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A client as its commands see it: who it is and what it has said so far. Belongs to its event loop.
///
/// Other threads only look, for `CLIENT LIST` and the like: what changes with every command is not volatile, so
/// that they may see it a little late.
public final class Client {
    private final long id;
    private final Link link;
    private final Counters counters;
    private final Transaction transaction = new Transaction();
    private final Subscriptions subscriptions = new Subscriptions();

    private volatile int protocol = 2;
    private volatile boolean authenticated;
    private volatile String name = "";
    private volatile String libraryName = "";
    private volatile String libraryVersion = "";
    private volatile boolean noEvict;
    private volatile boolean noTouch;
    private volatile boolean monitoring;
    private volatile boolean suspended;
    private volatile long openedNanos;

    private ReplyMode replyMode = ReplyMode.ON;
    private Reply connection = Silence.REPLY;
    private boolean muted;
    private boolean inSection;
    private boolean foundLoading;
    private @Nullable Lane lane;
    private @Nullable CommandEntry lastCommand;
    private long lastContactNanos;

    public Client(long id, Link link, Counters counters, boolean authenticated) {
        this.id = id;
        this.link = link;
        this.counters = counters;
        this.authenticated = authenticated;
    }

    public long id() {
        return id;
    }

    public Link link() {
        return link;
    }

    /// The counters, as the event loop of this client reads and changes them.
    public Counters counters() {
        return counters;
    }

    /// The version of the protocol that the client speaks: 2 or 3.
    public int protocol() {
        return protocol;
    }

    public void protocol(int version) {
        protocol = version;
    }

    /// Whether the client has said who it is, or came when nobody was asked.
    public boolean authenticated() {
        return authenticated;
    }

    /// Whether the client may do what others may: also one who has not said who it is, where no password is needed any
    /// more.
    public boolean mayAct(boolean needsPassword) {
        return authenticated || !needsPassword;
    }

    public void authenticated(boolean authenticated) {
        this.authenticated = authenticated;
    }

    /// What the client calls itself; empty when it has not said.
    public String name() {
        return name;
    }

    public void name(String name) {
        this.name = name;
    }

    public String libraryName() {
        return libraryName;
    }

    public void libraryName(String libraryName) {
        this.libraryName = libraryName;
    }

    public String libraryVersion() {
        return libraryVersion;
    }

    public void libraryVersion(String libraryVersion) {
        this.libraryVersion = libraryVersion;
    }

    public boolean noEvict() {
        return noEvict;
    }

    public void noEvict(boolean noEvict) {
        this.noEvict = noEvict;
    }

    public boolean noTouch() {
        return noTouch;
    }

    public void noTouch(boolean noTouch) {
        this.noTouch = noTouch;
    }

    /// Whether the client is shown what others do (`MONITOR`).
    public boolean monitoring() {
        return monitoring;
    }

    void monitoring(boolean monitoring) {
        this.monitoring = monitoring;
    }

    public Transaction transaction() {
        return transaction;
    }

    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /// Whether the client may only say what concerns its subscriptions.
    public boolean onlySubscribes() {
        return protocol == 2 && subscriptions.count() > 0;
    }

    /// Whether the client is there to be sent what it does not ask for each time (subscriptions, `MONITOR`). Such a
    /// one is never idle, and the limit of output for publish and subscribe holds for it.
    public boolean isListening() {
        return monitoring || subscriptions.count() > 0;
    }

    public ReplyMode replyMode() {
        return replyMode;
    }

    public void replyMode(ReplyMode mode) {
        replyMode = mode;
    }

    /// Whether the current command's answer is dropped.
    public boolean muted() {
        return muted;
    }

    /// Stops reading requests until the current command, which is not allowed in transactions, is answered. The answer
    /// may throw a [CommandError], as a command may.
    public Link.Suspension suspend() {
        Link.Suspension suspension = link.suspend();
        boolean silent = muted;
        suspended = true;
        return answer -> {
            suspended = false;
            suspension.resume(reply -> answer(answer, silent ? Silence.REPLY : reply));
        };
    }

    private void answer(Consumer<Reply> answer, Reply reply) {
        try {
            answer.accept(reply);
        } catch (CommandError error) {
            if (lane != null && lastCommand != null) {
                lane.failed(lastCommand, error.text());
            }
            reply.error(error.text());
        }
    }

    /// The bytes that the client's requests, replies and messages take, wherever they wait, and its subscriptions.
    public long bufferBytes() {
        Link.Buffers buffers = link.buffers();
        return buffers.query()
                + buffers.queryRoom()
                + buffers.words()
                + buffers.output()
                + buffers.messages()
                + transaction.bytes()
                + subscriptions.memory();
    }

    /// Whether the client waits for an answer that takes long.
    public boolean suspended() {
        return suspended;
    }

    /// Whether the server was loading when what the client last said came.
    boolean foundLoading() {
        return foundLoading;
    }

    void foundLoading(boolean foundLoading) {
        this.foundLoading = foundLoading;
    }

    /// Where to say what the client is told whether it wants answers or not, of a command that answers to `reply`.
    public Reply aloud(Reply reply) {
        return muted ? connection : reply;
    }

    /// Begins a command and says where its answer goes.
    Reply answerTo(Reply reply) {
        connection = reply;
        if (replyMode == ReplyMode.ON) {
            muted = false;
            return reply;
        }
        muted = true;
        if (replyMode == ReplyMode.SKIP_NEXT) {
            replyMode = ReplyMode.ON;
        }
        return Silence.REPLY;
    }

    /// Whether the current command runs within an [AtomicSection], as those of a transaction do.
    public boolean inSection() {
        return inSection;
    }

    void inSection(boolean inSection) {
        this.inSection = inSection;
    }

    @Nullable
    Lane lane() {
        return lane;
    }

    void lane(Lane lane) {
        this.lane = lane;
    }

    /// Counts a key that the current command was to read, and returns whether it was found.
    public boolean lookedUp(boolean found) {
        Lane now = lane;
        if (now != null) {
            now.stats().lookedUp(found);
        }
        return found;
    }

    void said(CommandEntry command, long nanos) {
        lastCommand = command;
        inTouch(nanos);
    }

    /// The client said something, or was sent something. The latter is told with the time of a second ago at worst.
    public void inTouch(long nanos) {
        lastContactNanos = Math.max(lastContactNanos, nanos);
    }

    public @Nullable CommandSpec lastCommand() {
        return lastCommand == null ? null : lastCommand.spec();
    }

    long lastContactNanos() {
        return lastContactNanos;
    }

    void opened(long nanos) {
        openedNanos = nanos;
        lastContactNanos = nanos;
    }

    long openedNanos() {
        return openedNanos;
    }
}
