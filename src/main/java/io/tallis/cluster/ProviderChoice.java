package io.tallis.cluster;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// Whom a session that joins pulls from: the donor that the operator named, who is waited for until it has something to
/// give; else some that serve, whole ones if any are; else the one that may know most.
final class ProviderChoice {
    private static final int MOST = 3;

    private final JoiningSettings settings;
    private final EventSink events;
    private long donorMissedAt = Long.MAX_VALUE;

    ProviderChoice(JoiningSettings settings, EventSink events) {
        this.settings = settings;
        this.events = events;
    }

    /// Of those who were heard; `waited` is how long it has not got on. None while the donor is waited for.
    List<Peer> among(Collection<Peer> heard, long waited, long now) {
        if (!settings.donor().isEmpty()) {
            List<Peer> donor = heard.stream()
                    .filter(peer -> peer.name().equals(settings.donor()))
                    .filter(peer -> peer.ready() || peer.share() == Share.WHOLE)
                    .limit(1)
                    .toList();
            if (!donor.isEmpty() || now < whenDonorIsMissed(waited, now)) {
                return donor;
            }
        }
        List<Peer> serving = heard.stream().filter(Peer::ready).toList();
        if (!serving.isEmpty()) {
            List<Peer> whole =
                    serving.stream().filter(peer -> peer.share() == Share.WHOLE).toList();
            return (whole.isEmpty() ? serving : whole).stream().limit(MOST).toList();
        }
        return heard.stream()
                .max(Comparator.comparing((Peer peer) -> peer.share() == Share.WHOLE)
                        .thenComparingInt(peer -> peer.stand().entries().size()))
                .stream()
                .toList();
    }

    private long whenDonorIsMissed(long waited, long now) {
        if (donorMissedAt == Long.MAX_VALUE) {
            // Else joining would time out while it waits for the donor.
            long half = settings.joinTimeout().toNanos() / 2 - waited;
            donorMissedAt = now + Math.max(0, Math.min(settings.aloneTimeout().toNanos(), half));
            events.happened("waits for its donor " + settings.donor()
                    + ", who is not there or joins too, before it pulls from others");
        }
        return donorMissedAt;
    }

    /// The process has stood still for so long, and has waited for nobody meanwhile.
    void stoodStill(long nanos) {
        donorMissedAt += donorMissedAt == Long.MAX_VALUE ? 0 : nanos;
    }
}
