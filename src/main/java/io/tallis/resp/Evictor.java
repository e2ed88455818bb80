package io.tallis.resp;

import io.netty.channel.EventLoop;
import io.tallis.resp.socket.LoopTask;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Closes the connections of one event loop that take the most memory when all clients together exceed the limit.
/// Belongs to the event loop.
///
/// Counting the memory of all connections takes time, so it is done once a second and after much traffic: what clients
/// take grows by little more than what was received and sent. The shortest words take two or three times as much as on
/// the wire, which the number of checks allows for.
final class Evictor {
    private static final long LARGE_BYTES = 1 << 16;

    private final ClientMemory memory;
    private final EventLoop loop;
    private final Set<? extends LoopMember> connections;
    private final LoopTask checking = new LoopTask(this::check);

    /// The large connections at the last check with their bytes, which are subtracted at once when one of them closes.
    private final Map<LoopMember, Long> large = new HashMap<>();

    private long countedBytes;
    private long movedBytes;
    private boolean checkIsDue;

    Evictor(ClientMemory memory, EventLoop loop, Set<? extends LoopMember> connections) {
        this.memory = memory;
        this.loop = loop;
        this.connections = connections;
    }

    /// Connections have received or sent so many bytes.
    void moved(int bytes) {
        movedBytes += bytes;
        if (memory.needsCheckAfter(movedBytes)) {
            movedBytes = 0;
            checkIsDue = true;
            checking.on(loop);
        }
    }

    /// Whether a check is about to run.
    boolean checkIsDue() {
        return checkIsDue;
    }

    void check() {
        checkIsDue = false;
        large.clear();
        long bytes = 0;
        for (LoopMember connection : connections) {
            bytes += connection.bytes();
            if (connection.bytes() >= LARGE_BYTES) {
                large.put(connection, connection.bytes());
            }
        }
        count(bytes);
        if (memory.mustShrink(countedBytes)) {
            evict();
        }
    }

    private void evict() {
        for (LoopMember largest : evictableLargestFirst()) {
            large.remove(largest);
            count(countedBytes - largest.bytes());
            largest.evict();
            if (!memory.mustShrink(countedBytes)) {
                return;
            }
        }
    }

    private List<? extends LoopMember> evictableLargestFirst() {
        return connections.stream()
                .filter(connection -> connection.isEvictable() && connection.bytes() > 0)
                .sorted(Comparator.comparingLong(LoopMember::bytes).reversed())
                .toList();
    }

    void removed(LoopMember connection) {
        Long bytes = large.remove(connection);
        if (bytes != null) {
            count(countedBytes - bytes);
        }
    }

    private void count(long bytes) {
        memory.changedBy(bytes - countedBytes);
        countedBytes = bytes;
    }
}
