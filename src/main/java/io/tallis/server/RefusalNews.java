package io.tallis.server;

import io.tallis.command.dispatch.WriteGate;
import java.util.function.Consumer;

/// Tells when a node begins to refuse changes, and when it takes them again, so that operators find it in the log of
/// the others too. Of two reasons in a row it tells the first, and of a disk that fails now and then nothing more until
/// it was well for [#QUIET_LOOKS] looks: there is room for few events. For one thread at a time.
final class RefusalNews {
    static final int QUIET_LOOKS = 200;

    private final WriteGate gate;
    private final Consumer<String> news;
    private boolean told;
    private int wellFor;

    RefusalNews(WriteGate gate, Consumer<String> news) {
        this.gate = gate;
        this.news = news;
    }

    /// To be called now and then.
    void look() {
        String refusal = gate.refusal();
        if (WriteGate.STOPPING.equals(refusal)) {
            return;
        }
        wellFor = refusal == null ? wellFor + 1 : 0;
        if (refusal != null && !told) {
            told = true;
            news.accept("refuses changes of clients: " + refusal);
        } else if (told && wellFor >= QUIET_LOOKS) {
            told = false;
            news.accept("takes changes of clients again");
        }
    }
}
