package io.tallis.command;

import io.tallis.command.facts.CommandSpec;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The state of one client between its commands: identity, protocol version, transaction, subscriptions. Belongs to the
/// client's event loop.
///
/// Other threads only read, for `CLIENT LIST` and the like. Fields that change with every command are not volatile, so
/// other threads may see them late.
public final class Client {
    /// Whether a client wants replies (`CLIENT REPLY`).
    public enum ReplyMode {
        ON,
        OFF,
        /// The next command is not answered.
        SKIP_NEXT
    }

    /// About as many steps of a script as take the time of a request.
    private static final int STEPS_OF_A_REQUEST = 64;

    private final long id;
    private final Link link;
    private final Counters counters;
    private final Transaction transaction = new Transaction();
    private final Subscriptions subscriptions = new Subscriptions();

    private volatile int protocol = 2;
    private volatile User user = User.NONE;
    private volatile boolean authenticated;
    private volatile String name = "";
    private volatile String libraryName = "";
    private volatile String libraryVersion = "";
    private volatile boolean noEvict;
    private volatile boolean noTouch;
    private volatile boolean monitoring;
    private volatile boolean suspended;
    private volatile @Nullable Tracker tracker;
    private volatile long heldBytes;
    private volatile long openedNanos;

    private ReplyMode replyMode = ReplyMode.ON;
    private Reply loud = Reply.NONE;
    private boolean muted;
    private boolean inSection;
    private boolean onlyAdds;
    private long rowBytes;
    private long steps;
    private int extraWork;
    private boolean foundLoading;
    private @Nullable LoopState loop;
    private @Nullable CommandSpec lastCommand;
    private long lastContactNanos;

    public Client(long id, Link link, Counters counters) {
        this.id = id;
        this.link = link;
        this.counters = counters;
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

    /// The user as whom the client runs commands; before it has authenticated, the user `default`.
    public User user() {
        return user;
    }

    public void user(User user) {
        this.user = user;
    }

    /// Whether the client has authenticated, or connected when no password was required.
    public boolean authenticated() {
        return authenticated;
    }

    /// Whether the client may run commands: it has authenticated, or no password is required now.
    public boolean mayAct(boolean needsPassword) {
        return authenticated || !needsPassword;
    }

    public void authenticated(boolean authenticated) {
        this.authenticated = authenticated;
    }

    /// The name set by `CLIENT SETNAME`, or empty.
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

    /// Whether the client receives all commands (`MONITOR`).
    public boolean monitoring() {
        return monitoring;
    }

    public void monitoring(boolean monitoring) {
        this.monitoring = monitoring;
    }

    public Transaction transaction() {
        return transaction;
    }

    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /// Whether the client may only use commands about subscriptions.
    public boolean onlySubscribes() {
        return protocol == 2 && subscriptions.count() > 0;
    }

    /// Whether the client receives messages (subscriptions, `MONITOR`). Such a client is never idle, and has the output
    /// limits of class `pubsub`.
    public boolean isListening() {
        return monitoring || subscriptions.count() > 0;
    }

    public ReplyMode replyMode() {
        return replyMode;
    }

    public void replyMode(ReplyMode mode) {
        replyMode = mode;
    }

    /// Whether the reply of the current command is discarded.
    public boolean muted() {
        return muted;
    }

    /// Stops handling requests until the current command is answered. Not allowed in transactions. The answer may throw
    /// a [CommandError], as a command may.
    public Link.Suspension suspend() {
        Link.Suspension suspension = link.suspend();
        boolean silent = muted;
        suspended = true;
        return answer -> {
            suspended = false;
            suspension.resume(reply -> answer(answer, silent ? Reply.NONE : reply));
        };
    }

    private void answer(Consumer<Reply> answer, Reply reply) {
        try {
            answer.accept(reply);
        } catch (CommandError error) {
            if (loop != null && lastCommand != null) {
                loop.failed(lastCommand.id(), error.text());
            }
            reply.error(error.text());
        }
    }

    /// The bytes that the client takes: its requests, replies and messages in all buffers, its transaction and its
    /// subscriptions.
    public long bufferBytes() {
        Link.Buffers buffers = link.buffers();
        return buffers.query()
                + buffers.queryRoom()
                + buffers.words()
                + buffers.output()
                + buffers.messages()
                + transaction.bytes()
                + heldBytes
                + subscriptions.memory();
    }

    /// Whether the client waits for the reply of a suspended command.
    public boolean suspended() {
        return suspended;
    }

    /// The bytes of a request that waits for the end of `CLIENT PAUSE`.
    public void heldBytes(long bytes) {
        heldBytes = bytes;
    }

    /// Whether the server was loading when the latest requests of the client arrived.
    public boolean foundLoading() {
        return foundLoading;
    }

    public void foundLoading(boolean foundLoading) {
        this.foundLoading = foundLoading;
    }

    /// Where to write what a command must send even to a client with replies switched off. `reply` is what the command
    /// was given.
    public Reply aloud(Reply reply) {
        return muted ? loud : reply;
    }

    /// Begins a command. Returns where its reply goes: `reply`, or nowhere when the client switched replies off.
    public Reply answerTo(Reply reply) {
        loud = reply;
        if (replyMode == ReplyMode.ON) {
            muted = false;
            return reply;
        }
        muted = true;
        if (replyMode == ReplyMode.SKIP_NEXT) {
            replyMode = ReplyMode.ON;
        }
        return Reply.NONE;
    }

    /// Whether the current command runs within an [AtomicSection], as those of a transaction do.
    public boolean inSection() {
        return inSection;
    }

    void inSection(boolean inSection) {
        this.inSection = inSection;
        onlyAdds = true;
        rowBytes = 0;
        steps = 0;
    }

    /// The bytes of rows that this section may write, as far as they are claimed.
    long claimedInSection() {
        return rowBytes;
    }

    void claimInSection(long moreRowBytes) {
        rowBytes += moreRowBytes;
    }

    /// Whether all commands that scripts called in this section only add to counters.
    boolean onlyAddsInSection(boolean nextOnlyAdds) {
        onlyAdds &= nextOnlyAdds;
        return onlyAdds;
    }

    /// The steps that scripts have taken in this section, so that those of a transaction share one bound.
    public long stepsInSection() {
        return steps;
    }

    /// Notes steps of a script.
    public void tookSteps(long more) {
        steps += more;
        extraWork += (int) (more / STEPS_OF_A_REQUEST);
    }

    /// The work of the requests since the last call beyond that of ordinary ones, in requests.
    public int takeExtraWork() {
        int work = extraWork;
        extraWork = 0;
        return work;
    }

    /// The state shared by the clients of this event loop; null before the first command.
    public @Nullable LoopState loop() {
        return loop;
    }

    public void loop(LoopState loop) {
        this.loop = loop;
    }

    /// Counts a look-up of a key for reading, and returns `found`.
    public boolean lookedUp(boolean found) {
        LoopState now = loop;
        if (now != null) {
            now.stats().lookedUp(found);
        }
        return found;
    }

    /// What `CLIENT TRACKING` has switched on; null if nothing.
    public @Nullable Tracker tracker() {
        return tracker;
    }

    public void tracker(@Nullable Tracker tracker) {
        this.tracker = tracker;
    }

    /// Reports what the present command has made of a key, for keyspace notifications.
    public void happened(KeyEvent event, Key key) {
        LoopState now = loop;
        if (now != null) {
            now.events().add(event, key);
        }
    }

    /// Reports fields that were removed from a hash, and the end of the hash if they were the last.
    public void removedFields(KeyEvent event, Key key) {
        LoopState now = loop;
        if (now != null && now.events().areWanted()) {
            now.events().add(event, key);
            if (!counters.exists(key)) {
                now.events().add(KeyEvent.DEL, key);
            }
        }
    }

    /// Reports a deadline that was set, or the end of the key if it had come already.
    public void expirySet(Key key) {
        LoopState now = loop;
        if (now != null && now.events().areWanted()) {
            now.events().add(counters.exists(key) ? KeyEvent.EXPIRE : KeyEvent.DEL, key);
        }
    }

    /// Notes the current command and its time.
    public void began(CommandSpec command, long nanos) {
        lastCommand = command;
        inTouch(nanos);
    }

    /// Notes that the client sent or was sent something. For what it was sent, `nanos` may be a second old.
    public void inTouch(long nanos) {
        lastContactNanos = Math.max(lastContactNanos, nanos);
    }

    public @Nullable CommandSpec lastCommand() {
        return lastCommand;
    }

    public long lastContactNanos() {
        return lastContactNanos;
    }

    public void opened(long nanos) {
        openedNanos = nanos;
        lastContactNanos = nanos;
    }

    public long openedNanos() {
        return openedNanos;
    }
}
