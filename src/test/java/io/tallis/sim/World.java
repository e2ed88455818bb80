package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The parts of a simulation.
final class World {
    private final Scenario scenario;
    private final EventQueue events = new EventQueue();
    private final Trace trace = new Trace(events);
    private final History history = new History();
    private final SessionNumbers sessions = new SessionNumbers();
    private final Network network;
    private final Expiring expiring;
    private final TimeOfDay timeOfDay;
    private final Lives lives = new Lives(this);
    private final Folding folding;
    private final MadeFolds folds = new MadeFolds(this);
    private final Purging purging;
    private final Purged purged = new Purged(this);
    private final Retrying retrying;
    private final Telling telling;
    private final Repeating repeating;
    private final Gen gen;
    private final Gen second;
    private final List<Machine> machines = new ArrayList<>();
    private final List<Session> everybody = new ArrayList<>();
    private long mendedAt = Long.MAX_VALUE;

    /// `second` is the source of all that concerns keys which expire.
    World(
            Gen gen,
            Scenario scenario,
            Gen second,
            Expiring expiring,
            Folding folding,
            Purging purging,
            Retrying retrying) {
        this.gen = gen;
        this.second = second;
        this.scenario = scenario;
        this.expiring = expiring;
        this.folding = folding;
        this.purging = purging;
        this.retrying = retrying;
        telling = new Telling(this);
        repeating = new Repeating(this);
        timeOfDay = new TimeOfDay(events, expiring, second, () -> living().mapToLong(Session::epochMillis));
        network = new Network(events, gen, scenario.machines() + Scenario.MOST_CLONES);
        for (int i = 0; i < scenario.machines(); i++) {
            addMachine();
        }
    }

    Machine addMachine() {
        Machine machine = new Machine(machines.size(), gen);
        machine.newestVersion(scenario.versions() == Scenario.Versions.NEW ? 2 : 1);
        machines.add(machine);
        timeOfDay.addMachine(purging.skewMillis(machine.clockSkewMillis()));
        return machine;
    }

    Scenario scenario() {
        return scenario;
    }

    Expiring expiring() {
        return expiring;
    }

    TimeOfDay timeOfDay() {
        return timeOfDay;
    }

    Lives lives() {
        return lives;
    }

    Folding folding() {
        return folding;
    }

    MadeFolds folds() {
        return folds;
    }

    Purging purging() {
        return purging;
    }

    Purged purged() {
        return purged;
    }

    Retrying retrying() {
        return retrying;
    }

    Telling telling() {
        return telling;
    }

    Repeating repeating() {
        return repeating;
    }

    /// A keyspace that belongs to no session.
    Keyspace keyspace() {
        return new Keyspace(new Replicas(new ReplicaId(0, 1)), () -> 1, () -> timeOfDay.millis(0));
    }

    EventQueue events() {
        return events;
    }

    Trace trace() {
        return trace;
    }

    History history() {
        return history;
    }

    SessionNumbers sessions() {
        return sessions;
    }

    Network network() {
        return network;
    }

    Gen gen() {
        return gen;
    }

    Gen second() {
        return second;
    }

    List<Machine> machines() {
        return machines;
    }

    /// All trouble is over.
    void mended() {
        mendedAt = events.now();
        trace.note("all", "mended", 0);
    }

    /// For how long there has been no trouble; negative while there is.
    long nanosSinceMended() {
        return events.now() - mendedAt;
    }

    /// Starts a process on a machine that is down.
    Session start(Machine machine) {
        Session session = Session.start(this, machine);
        everybody.add(session);
        return session;
    }

    /// All sessions, including dead ones.
    Stream<Session> everybody() {
        return everybody.stream();
    }

    /// The running sessions.
    Stream<Session> living() {
        return machines.stream().map(Machine::session).filter(session -> session != null);
    }
}
