package io.tallis.server;

import io.tallis.command.dispatch.WriteGate;
import java.util.function.Consumer;

/// Reports when the node begins to refuse changes and when it accepts them again, so that operators find it in the logs
/// of the other nodes too.
///
/// Space for events is limited. A second cause in a row is not reported, and recovery only after [#RECOVERY_CHECKS]
/// checks without a refusal, so a disk that fails now and then is reported once. Used by one thread at a time.
final class RefusalEvents {
    static final int RECOVERY_CHECKS = 200;

    private final WriteGate gate;
    private final Consumer<String> events;
    private boolean reported;
    private int checksWithoutRefusal;

    RefusalEvents(WriteGate gate, Consumer<String> events) {
        this.gate = gate;
        this.events = events;
    }

    /// Called periodically.
    void check() {
        String refusal = gate.refusal();
        if (WriteGate.STOPPING.equals(refusal)) {
            return;
        }
        checksWithoutRefusal = refusal == null ? checksWithoutRefusal + 1 : 0;
        if (refusal != null && !reported) {
            reported = true;
            events.accept("refuses changes of clients: " + refusal);
        } else if (reported && checksWithoutRefusal >= RECOVERY_CHECKS) {
            reported = false;
            events.accept("accepts changes of clients again");
        }
    }
}
