package io.tallis.sim;

import io.tallis.cluster.records.Registry;
import io.tallis.testing.Gen;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/// Causes the trouble of a scenario, one kind after the other, and ends each after a while; all of it in the end.
final class TroubleMaker {
    private static final long MILLISECOND = 1_000_000;

    /// There are no more troubles in a simulation that has so many sessions: it keeps all of them, and each of their
    /// counters has a place for every session.
    private static final int MOST_SESSIONS = 400;

    /// About the most troubles of a simulation in which deleted counters are purged, which takes some seconds.
    private static final long MOST_TROUBLES_OF_PURGES = 200;

    private static final long MINUTE_MILLIS = 60_000;
    private static final long THE_YEAR_1970 = 1_000;
    private static final long THE_YEAR_2100 = 4_102_444_800_000L;
    private static final long LOOK_NANOS = 50 * MILLISECOND;
    private static final int MOST_LOOKS = 200;
    private static final long LONGEST_JUMP = 60_000 * MILLISECOND;

    private final World world;
    private final Gen gen;
    private final Clients clients;
    private final Crashes crashes;
    private final List<Trouble> troubles;
    private boolean stopped;
    private boolean isCalm;

    TroubleMaker(World world, Clients clients) {
        this.world = world;
        this.clients = clients;
        gen = new Gen(world.gen().between(0, Long.MAX_VALUE));
        crashes = new Crashes(world, gen);
        troubles = List.copyOf(world.scenario().troubles());
    }

    void start() {
        world.network().weather(world.scenario().weather());
        if (!troubles.isEmpty()) {
            makeFromTimeToTime();
        }
        if (world.expiring().clocksAreSet()) {
            setClocksFromTimeToTime();
        }
        if (world.folding().happens()) {
            operateFromTimeToTime();
            world.folds()
                    .onStep(() ->
                            disturbStep(world.folding().gen(), world.folding().isDisturbed()));
        }
        if (world.purging().happens()) {
            purgeFromTimeToTime();
            world.purged()
                    .onStep(() ->
                            disturbStep(world.purging().gen(), world.purging().isDisturbed()));
        }
    }

    private void disturbStep(Gen gen, boolean isDisturbed) {
        if (!stopped && !troubles.isEmpty() && isDisturbed) {
            world.events().in(gen.between(0, 300 * MILLISECOND), () -> {
                if (!stopped) {
                    make(this.gen.pick(troubles));
                    endPause();
                }
            });
        }
    }

    /// Sets the time of day of a machine to a wrong one, and right again after a while.
    private void setClocksFromTimeToTime() {
        world.events().in(world.expiring().activeNanos() / gen.between(3, 10), () -> {
            if (!stopped) {
                int machine = gen.pick(world.machines()).number();
                long now = world.timeOfDay().millis(machine);
                long wrong =
                        gen.pick(now + MINUTE_MILLIS, now - MINUTE_MILLIS, now + 1_000, THE_YEAR_1970, THE_YEAR_2100);
                world.timeOfDay().set(machine, wrong);
                world.trace().note("node" + machine, "is told another time", wrong);
                later(() -> world.timeOfDay().correct(machine));
                setClocksFromTimeToTime();
            }
        });
    }

    private void makeFromTimeToTime() {
        long pause = Math.max(world.scenario().troubleNanos(), world.purging().activeNanos() / MOST_TROUBLES_OF_PURGES);
        world.events().in(gen.between(0, 2 * pause), () -> {
            if (!stopped && world.everybody().count() < MOST_SESSIONS) {
                make(gen.pick(troubles));
                if (world.folding().isPauseDue() || world.purging().isPauseDue()) {
                    pause(MOST_LOOKS);
                } else {
                    makeFromTimeToTime();
                }
            }
        });
    }

    /// Nothing happens until all nodes serve and fold what has ended, or have had the time for it.
    private void pause(int looks) {
        if (looks > 0
                && !world.machines().stream()
                        .allMatch(machine ->
                                machine.session() != null && machine.session().serves())) {
            world.events().in(LOOK_NANOS, () -> pause(looks - 1));
        } else {
            forgetThoseThatAreGone();
            isCalm = true;
            long nanos = world.purging().happens()
                    ? world.purging().pauseNanos()
                    : world.folding().pauseNanos();
            world.events().in(nanos, this::endPause);
        }
    }

    private void endPause() {
        if (isCalm) {
            isCalm = false;
            makeFromTimeToTime();
        }
    }

    /// Ends all trouble and starts what is down; only the weather stays as it is.
    void mendAll() {
        stopped = true;
        world.network().mendAll();
        if (world.expiring().clocksAreSet()) {
            world.machines().forEach(machine -> world.timeOfDay().correct(machine.number()));
        }
        world.living().forEach(session -> {
            session.tasks().thaw();
            session.tasks().cost(ReplicatorTasks.QUICK_NANOS);
            session.disk().mood(DiskQueue.Mood.QUICK);
        });
        crashes.startMost();
        world.network().views().changed(1_000 * MILLISECOND);
    }

    private void make(Trouble trouble) {
        Machine machine = gen.pick(world.machines());
        world.trace().note(machine.name(), trouble.toString(), 0);
        switch (trouble) {
            case SPLIT, ISOLATED, ONE_WAY, NOT_TRANSITIVE, DEAF -> cut(trouble, machine);
            case NARROW -> {
                world.network().narrow(machine.number());
                later(world.network()::mendAll);
            }
            case KILLED, POWER_LOST, STOPPED, ALL_KILLED, WIPED, RESTORED, CLONED, UPGRADED, HELD, DONOR_NAMED ->
                crashes.make(trouble, machine);
            case JOIN_CUT_SHORT -> crashes.cutJoinShort(machine);
            default -> {
                Session session = machine.session();
                if (session != null) {
                    disturb(trouble, session);
                }
            }
        }
    }

    private void disturb(Trouble trouble, Session session) {
        switch (trouble) {
            case FROZEN -> freeze(session);
            case SLOW -> {
                session.tasks().cost(gen.between(1, 20) * MILLISECOND);
                later(() -> session.tasks().cost(ReplicatorTasks.QUICK_NANOS));
            }
            case CLOCK_JUMPS -> session.jumpClock(gen.between(0, gen.pick(100 * MILLISECOND, LONGEST_JUMP)));
            case DISK_SLOW -> disk(session, DiskQueue.Mood.SLOW);
            case DISK_STUCK -> disk(session, DiskQueue.Mood.STUCK);
            case DISK_FAILS -> disk(session, DiskQueue.Mood.FAILING);
            case CHECKPOINT -> checkpoint(session);
            case VIEW_BLINKS -> blink(session);
            case BURST -> {
                if (session.serves()) {
                    clients.burst(session);
                }
            }
            case LAST_WORDS -> speakLast(session);
            case FORGOTTEN -> forget(session, gen.pick(world.machines()).name());
            default -> throw new IllegalArgumentException(trouble.toString());
        }
    }

    /// Each change reaches other machines than the one before it.
    private void speakLast(Session session) {
        int words = gen.between(1, 4);
        for (int i = 0; i < words; i++) {
            world.events().in(2L * i * MILLISECOND, () -> {
                world.network().mendAll();
                for (int to = 0; to < world.machines().size(); to++) {
                    world.network().cut(session.machine(), to, gen.chance(50));
                }
                if (session.serves()) {
                    clients.changeOne(session);
                }
            });
        }
        world.events().in(2L * words * MILLISECOND, () -> {
            world.network().mendAll();
            if (session.host().session() == session) {
                crashes.make(gen.pick(Trouble.WIPED, Trouble.RESTORED, Trouble.KILLED), session.host());
            }
        });
    }

    private void forget(Session session, String name) {
        session.tasks().add(() -> {
            if (session.replicator().forget(name) == Registry.Forgetting.DONE) {
                world.machines().stream()
                        .filter(machine -> machine.name().equals(name))
                        .forEach(Machine::forget);
            }
        });
    }

    /// An operator says `SYSTEM PURGE` on any node, and forgets one that is gone, or perhaps only cut off.
    private void purgeFromTimeToTime() {
        Gen gen = world.purging().gen();
        world.events().in(gen.between(0, 2 * world.purging().operatorNanos()), () -> {
            if (!stopped) {
                List<Session> living = world.living().toList();
                if (!living.isEmpty()) {
                    Session session = gen.pick(living);
                    session.tasks().add(session.replicator()::purgeAtOnce);
                    crashes.wipeOneOfTwins(gen);
                    if (world.purging().isForgottenNow()) {
                        forget(session, gen.pick(world.machines()).name());
                    }
                }
                forgetThoseThatAreGone();
                purgeFromTimeToTime();
            }
        });
    }

    /// An operator says `SYSTEM FOLD`, or forgets a node that is gone.
    private void operateFromTimeToTime() {
        world.events().in(world.folding().gen().between(0, 2 * world.folding().operatorNanos()), () -> {
            if (!stopped) {
                world.living().forEach(session -> session.tasks().add(session.replicator()::foldAtOnce));
                forgetThoseThatAreGone();
                operateFromTimeToTime();
            }
        });
    }

    /// Nodes whose disks were lost, and those that never start again, are no reason not to fold.
    void forgetThoseThatAreGone() {
        if (world.living().findAny().isPresent() && world.folding().gen().chance(70)) {
            forgetAllThatAreGone();
        }
    }

    void forgetAllThatAreGone() {
        List<Session> living = world.living().toList();
        if (!living.isEmpty()) {
            Session session = world.folding().gen().pick(living);
            Set<UUID> present = world.machines().stream()
                    .filter(machine -> !machine.retired())
                    .map(machine -> machine.self().uuid())
                    .collect(Collectors.toSet());
            session.tasks()
                    .add(() -> session.registry().nodes().stream()
                            .filter(node -> !present.contains(node))
                            .forEach(node -> session.replicator().forget(node.toString())));
        }
    }

    private void later(Runnable action) {
        long nanos = world.purging().happens()
                ? world.purging().faultNanos()
                : gen.between(1, gen.pick(20, 300, 3_000)) * MILLISECOND;
        world.events().in(nanos, action);
    }

    private void freeze(Session session) {
        session.tasks().freeze();
        session.disk().mood(DiskQueue.Mood.STUCK);
        world.network().views().changed(2_000 * MILLISECOND);
        later(() -> {
            session.tasks().thaw();
            session.disk().mood(DiskQueue.Mood.QUICK);
            world.network().views().changed(500 * MILLISECOND);
        });
    }

    private void disk(Session session, DiskQueue.Mood mood) {
        session.disk().mood(mood);
        later(() -> session.disk().mood(gen.pick(DiskQueue.Mood.QUICK, DiskQueue.Mood.INSTANT)));
    }

    private void checkpoint(Session session) {
        if (session.disk().isEmpty()) {
            boolean sweeps = world.expiring().happens();
            session.host().disk().checkpoint(session.keyspace(), () -> sweeps && gen.chance(30), () -> {
                if (sweeps) {
                    session.sweep();
                }
            });
            session.memory().requireComplete();
        }
    }

    private void blink(Session session) {
        world.living()
                .filter(other -> other != session)
                .findAny()
                .ifPresent(other -> world.network().views().blink(session.id(), other.id()));
    }

    private void cut(Trouble trouble, Machine machine) {
        boolean[] side = new boolean[world.machines().size()];
        for (int i = 0; i < side.length; i++) {
            side[i] = trouble == Trouble.SPLIT && gen.chance(50);
        }
        side[machine.number()] = true;
        int other = gen.between(0, side.length - 1);
        boolean pairOnly = trouble == Trouble.ONE_WAY || trouble == Trouble.NOT_TRANSITIVE;
        boolean bothWays = trouble != Trouble.ONE_WAY && trouble != Trouble.DEAF;
        for (int from = 0; from < side.length; from++) {
            for (int to = 0; to < side.length; to++) {
                boolean between = side[to] && !side[from] && (!pairOnly || from == other);
                if (between) {
                    world.network().cut(from, to, true);
                    if (bothWays) {
                        world.network().cut(to, from, true);
                    }
                }
            }
        }
        world.network().views().changed(gen.pick(50, 2_000) * MILLISECOND);
        later(() -> {
            world.network().mendAll();
            world.network().views().changed(gen.pick(50, 2_000) * MILLISECOND);
        });
    }
}
