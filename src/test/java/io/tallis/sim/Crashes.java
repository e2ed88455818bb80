package io.tallis.sim;

import io.tallis.testing.Gen;
import java.util.List;

/// Ends processes in all ways, changes their disks meanwhile, and starts others.
final class Crashes {
    private static final long MILLISECOND = 1_000_000;
    private static final long LONGEST_CUT_JOIN_NANOS = 1_000 * MILLISECOND;
    private static final long LONGEST_ABSENCE_NANOS = 20_000 * MILLISECOND;
    private static final long LOOK_NANOS = 50 * MILLISECOND;

    private final World world;
    private final Gen gen;
    private int clones;
    private boolean over;

    Crashes(World world, Gen gen) {
        this.world = world;
        this.gen = gen;
    }

    void make(Trouble trouble, Machine machine) {
        switch (trouble) {
            case KILLED -> end(machine);
            case POWER_LOST -> losePower(machine);
            case STOPPED -> leave(machine);
            case ALL_KILLED -> {
                world.machines().forEach(this::end);
                world.events()
                        .in(
                                gen.between(0, 50 * MILLISECOND),
                                () -> world.machines().forEach(this::startIfDown));
            }
            case WIPED -> {
                end(machine);
                machine.wipe(gen);
            }
            case RESTORED -> {
                end(machine);
                if (gen.chance(70)) {
                    machine.restoreBackup();
                }
                machine.backUp();
            }
            case CLONED -> clone(machine);
            case UPGRADED -> {
                end(machine);
                machine.newestVersion(world.scenario().versions() == Scenario.Versions.MIXED ? 2 : 1);
            }
            case HELD -> {
                end(machine);
                machine.holdNext();
            }
            case DONOR_NAMED -> {
                end(machine);
                machine.nextPullsFrom(gen.pick(world.machines()).name());
            }
            default -> throw new IllegalArgumentException(trouble.toString());
        }
        if (trouble.losesData()) {
            world.purged().onLoss();
        }
        long down = gen.pick(0, 10, 300, 2_000) * MILLISECOND;
        world.events().in(gen.between(0, down), () -> startIfDown(machine));
    }

    /// Nodes that run twice purge nothing: an operator ends one of two such processes, and empties its disk.
    void wipeOneOfTwins(Gen choices) {
        List<Machine> twins = world.machines().stream()
                .filter(machine -> world.machines().stream()
                        .anyMatch(other -> other != machine
                                && other.self().uuid().equals(machine.self().uuid())))
                .toList();
        if (!twins.isEmpty() && choices.chance(30)) {
            make(Trouble.WIPED, choices.pick(twins));
        }
    }

    /// Adds one or two new nodes; their disks have part of what they receive.
    void cutJoinShort(Machine machine) {
        List<Machine> joiners = gen.chance(50) ? List.of(machine) : List.of(machine, gen.pick(world.machines()));
        for (Machine joiner : joiners) {
            end(joiner);
            joiner.wipe(gen);
            world.purged().onLoss();
            startIfDown(joiner);
        }
        world.events().in(gen.between(0, LONGEST_CUT_JOIN_NANOS), () -> {
            if (over) {
                return;
            }
            world.machines().forEach(this::end);
            joiners.forEach(this::startIfDown);
            world.events()
                    .in(
                            gen.between(0, LONGEST_ABSENCE_NANOS),
                            () -> world.machines().forEach(this::startIfDown));
        });
    }

    /// Starts all machines that are down or about to be, except perhaps one that never comes back.
    void startMost() {
        over = true;
        world.living().filter(Session::leaving).toList().forEach(Session::stop);
        List<Machine> down = world.machines().stream()
                .filter(machine -> machine.session() == null)
                .toList();
        if (!down.isEmpty() && gen.chance(40)) {
            gen.pick(down).retire();
            world.purged().onLoss();
        }
        down.forEach(this::startIfDown);
    }

    /// A machine whose session is about to end is started after that.
    void startIfDown(Machine machine) {
        Session session = machine.session();
        if (session != null && session.leaving()) {
            world.events().in(LOOK_NANOS, () -> startIfDown(machine));
        } else if (session == null && !machine.retired()) {
            world.start(machine);
        }
    }

    private void end(Machine machine) {
        Session session = machine.session();
        if (session != null) {
            session.end();
        }
    }

    private void losePower(Machine machine) {
        end(machine);
        int gone = machine.disk().losePower(gen);
        world.trace().note(machine.name(), "loses rows", gone);
    }

    private void leave(Machine machine) {
        Session session = machine.session();
        if (session != null && !session.leaving()) {
            session.leave();
        }
    }

    private void clone(Machine machine) {
        if (clones < Scenario.MOST_CLONES) {
            clones++;
            Machine other = world.addMachine();
            other.cloneFrom(machine);
            world.start(other);
        } else {
            Machine other = gen.pick(List.copyOf(world.machines()));
            if (other != machine) {
                end(other);
                other.cloneFrom(machine);
            }
        }
    }
}
