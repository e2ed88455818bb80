package io.tallis.server;

import io.tallis.command.WriteGate;
import java.util.function.Consumer;

/// Tells when a node begins to refuse changes, and when it takes them again, so that operators find it in the log of
/// the others too. Of two reasons in a row it tells the first. For one thread at a time.
final class RefusalNews {
    private final WriteGate gate;
    private final Consumer<String> news;
    private boolean told;

    RefusalNews(WriteGate gate, Consumer<String> news) {
        this.gate = gate;
        this.news = news;
    }

    /// To be called now and then.
    void look() {
        String refusal = gate.refusal();
        if (WriteGate.STOPPING.equals(refusal) || (refusal != null) == told) {
            return;
        }
        told = refusal != null;
        news.accept(refusal == null ? "takes changes of clients again" : "refuses changes of clients: " + refusal);
    }
}
