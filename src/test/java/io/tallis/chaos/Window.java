package io.tallis.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One life of a counter with a deadline: what clients sent to its key from the first change to the end, and what they
/// may read of it. Each change that begins a counter, or may meet one that has ended, gives it a deadline.
///
/// A node sets a deadline and ends the counter by its own clock, which is off by up to `skew`. So a counter that is to
/// end after d
///
///     is whole     until  d - 2 skew  after the request was sent
///     is gone      from   d + 2 skew  after it was answered
///
/// and one that is to end at d until d - skew and from d + skew, or 2 skew after the answer, if that is later. The
/// earliest of several deadlines says until when it is whole, and the latest from when it is gone. In between each node
/// has ended a part of it, or all, or nothing.
///
/// Until then a node that has heard of everything shows all increments. From then on no node shows the key: neither one
/// that is cut off, nor one with an old copy of some directory. Two kinds of changes leave a gap:
///
///     INCR with PEXPIRE   another node may hear of the increment alone at first: it has ended when nodes agree
///     no PEXPIRE          the connection broke in between: the counter may stay for ever
///
/// A node that never heard of an earlier life of the key takes a late message of it for one that lacks an extension of
/// the deadline, so it may show that part within the present life, until another node tells it of the end.
///
/// All times are those of this process's clock. Thread-safe.
final class Window {
    /// Clocks are read in whole milliseconds, and by each process at its own moment.
    private static final long ROUNDING_MILLIS = 50;

    private static final int MOST_EVENTS = 20;
    private static final long MOST_DIFFERENCE_MILLIS = 5_000;

    private final Plan plan;
    private final long skewMillis;
    private final Account account = new Account();
    private final List<String> events = new ArrayList<>();
    private State state = State.UNUSED;
    private int underWay;
    private int readers;
    private long wholeUntil = Long.MAX_VALUE;
    private long goneFrom;
    private boolean isSplit;
    private boolean mayStay;

    private enum State {
        UNUSED,
        /// The first change is under way. It may be a `SET`, which resets what it sees.
        BEGINNING,
        USED,
        /// Another life of the key may have begun.
        RETIRED
    }

    /// What clients are to do: give it deadlines about `lengthMillis` ahead, in commands of their own if `splits`. The
    /// key was used before if `isAgain`.
    record Plan(String key, long lengthMillis, boolean splits, boolean isAgain) {}

    Window(Plan plan, long skewMillis) {
        this.plan = plan;
        this.skewMillis = skewMillis;
    }

    Plan plan() {
        return plan;
    }

    /// When the counter is to end: at a time of day, or so long after the request.
    record Deadline(boolean isTime, long millis) {
        private long earliest(long sent, long skew) {
            return isTime ? millis - skew : sent + millis - 2 * skew;
        }

        private long latest(long answered, long skew) {
            // A time that has come already ends the counter at once, which nodes with slower clocks notice later.
            return isTime ? Math.max(millis, answered + skew) + skew : answered + millis + 2 * skew;
        }
    }

    /// An increment. `isSplit`: the deadline is set by a second command, which other nodes may hear of later. Without a
    /// deadline it keeps the one of a change that its node has acknowledged.
    record Change(long amount, Optional<Deadline> deadline, boolean isSplit) {
        @Override
        public String toString() {
            String when = deadline.map(end -> (end.isTime ? " until " : " for ") + end.millis)
                    .orElse("");
            return amount + when + (isSplit ? " by a second command" : "");
        }
    }

    /// Claims the first change.
    synchronized boolean begin() {
        if (state != State.UNUSED) {
            return false;
        }
        state = State.BEGINNING;
        return true;
    }

    /// Whether further changes may be sent.
    synchronized boolean isOpen(long now) {
        return state == State.USED && now < wholeUntil;
    }

    /// To be called before the change is sent.
    synchronized void sent(Change change, Object node, long now) {
        account.sent(change.amount);
        underWay++;
        note(now, "+" + change + " sent to " + node);
        isSplit |= change.isSplit;
        change.deadline.ifPresent(deadline -> wholeUntil = Math.min(wholeUntil, deadline.earliest(now, skewMillis)));
    }

    synchronized void acknowledged(Change change, Directory by, long now) {
        account.acknowledged(change.amount, by);
        note(now, "+" + change + " acknowledged");
        ended(change, now);
        // It may have met a counter that had ended, and begun another without a deadline.
        mayStay |= change.deadline.isEmpty() && now >= wholeUntil;
    }

    /// The connection ended before the answer, so that the change may have been made until now, or a part of it.
    synchronized void unanswered(Change change, long now) {
        note(now, "+" + change + " not answered");
        ended(change, now);
        mayStay |= change.deadline.isEmpty() || change.isSplit;
    }

    /// An error was replied, so the change never happens. Of a change of two commands the first may have been made.
    synchronized void refused(Change change, long now) {
        if (change.isSplit) {
            unanswered(change, now);
            return;
        }
        account.refused(change.amount);
        note(now, "+" + change + " refused");
        ended(change, now);
    }

    /// See [Account#lose]. Another node may have got an increment without the deadline that was set by a second
    /// command.
    synchronized int lose(Directory directory) {
        int changes = account.lose(directory);
        mayStay |= isSplit && changes > 0;
        return changes;
    }

    private void ended(Change change, long now) {
        underWay--;
        state = State.USED;
        change.deadline.ifPresent(deadline -> goneFrom = Math.max(goneFrom, deadline.latest(now, skewMillis)));
    }

    /// Whether no node that has heard of all changes shows it.
    private boolean isGone(long now) {
        return state == State.USED && underWay == 0 && !mayStay && now > goneFrom + ROUNDING_MILLIS;
    }

    /// When the counter is gone, if nothing more is sent.
    synchronized long goneFrom() {
        return goneFrom + ROUNDING_MILLIS + 1;
    }

    /// Whether no more changes are to come.
    synchronized boolean isDone(long now) {
        return state == State.USED && underWay == 0 && now >= wholeUntil && (isSplit || mayStay || isGone(now));
    }

    /// Whether its key may be used again, for another window. From then on nothing is read from this one.
    synchronized boolean retire(long now) {
        if (!isGone(now) || isSplit || readers > 0) {
            return false;
        }
        state = State.RETIRED;
        return true;
    }

    /// A read that was sent at some time, and whether it must find nothing.
    record Read(long sent, boolean isGone) {}

    /// To be called before a read is sent; absent if nothing may be read.
    synchronized Optional<Read> reads(long now) {
        if (state == State.RETIRED) {
            return Optional.empty();
        }
        readers++;
        return Optional.of(new Read(now, isGone(now)));
    }

    /// To be called when a read ended, with an answer or without.
    synchronized void hasRead() {
        readers--;
    }

    /// What is wrong with the answer that a node gave during the load.
    synchronized Optional<String> check(Read read, String reply) {
        if (read.isGone && !isSplit && !reply.equals("(nil)")) {
            return wrong(reply, "and was to be gone " + (read.sent - goneFrom) + " ms before");
        }
        return plan.isAgain ? Optional.empty() : tooMuch(reply);
    }

    private Optional<String> tooMuch(String reply) {
        long most = account.most();
        long value = Histories.value(reply);
        return value < 0 || value > most
                ? wrong(reply, "and no more than " + most + " was ever sent")
                : Optional.empty();
    }

    /// What is wrong with an answer between `sent` and `answered`, while no request is in flight and nodes have had
    /// time to agree.
    synchronized Optional<String> checkAgreed(Read read, long answered, String reply) {
        if (read.isGone && !reply.equals("(nil)")) {
            return wrong(reply, "and was to be gone " + (read.sent - goneFrom) + " ms before");
        }
        if (isWhole(answered) && !account.isPossible(Histories.value(reply))) {
            return wrong(
                    reply,
                    "which is not " + account + ", and was to be whole for " + (wholeUntil - answered) + " ms yet");
        }
        return tooMuch(reply);
    }

    /// Whether all nodes show all of it, if they have had time to agree. Nothing is promised where clocks differ by
    /// more than [#MOST_DIFFERENCE_MILLIS].
    synchronized boolean isWhole(long now) {
        return state == State.USED && now < wholeUntil && 2 * skewMillis <= MOST_DIFFERENCE_MILLIS;
    }

    /// All nodes have shown this value, while it was whole.
    void settle(long value) {
        account.settle(value);
    }

    /// Whether it may stay for ever, since the deadline was never set.
    synchronized boolean mayStay() {
        return mayStay;
    }

    /// The first of all that happened is kept, for people.
    private void note(long now, String event) {
        if (events.size() < MOST_EVENTS) {
            events.add(now + " " + event);
        }
    }

    private Optional<String> wrong(String reply, String why) {
        return Optional.of(plan.key + (plan.isAgain ? ", used again, is " : " is ") + reply + ", " + why + "; at "
                + System.currentTimeMillis() + " it was known of it: " + events);
    }
}
