package io.tallis.server;

import io.tallis.metrics.CommandStats;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;
import io.tallis.runtime.Clock;

/// The current rates of commands and network traffic, over the last seconds.
final class Traffic {
    private final CommandStats commandStats;
    private final NetworkStats networkStats;
    private final Clock clock;
    private final Rate commands = new Rate();
    private final Rate bytesIn = new Rate();
    private final Rate bytesOut = new Rate();

    Traffic(CommandStats commandStats, NetworkStats networkStats, Clock clock) {
        this.commandStats = commandStats;
        this.networkStats = networkStats;
        this.clock = clock;
    }

    /// Called ten times a second.
    void sample() {
        long now = clock.nanos();
        commands.sample(commandStats.calls(), now);
        bytesIn.sample(networkStats.total(NetworkEvent.BYTES_IN), now);
        bytesOut.sample(networkStats.total(NetworkEvent.BYTES_OUT), now);
    }

    double commandsPerSecond() {
        return commands.perSecond();
    }

    double bytesInPerSecond() {
        return bytesIn.perSecond();
    }

    double bytesOutPerSecond() {
        return bytesOut.perSecond();
    }
}
