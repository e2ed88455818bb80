package io.tallis.cluster;

/// Whether a session that joins gets on: not with what only comes again to where it was.
final class Headway {
    private final Pulls pulls;
    private final Targets targets;
    private long pulled;
    private long answered = Long.MIN_VALUE;

    Headway(Pulls pulls, Targets targets) {
        this.pulls = pulls;
        this.targets = targets;
    }

    /// Whether it has come further than it ever was, with what it pulls or, where the targets stand still, with the
    /// answers that it needs.
    boolean isMade(boolean targetsStandStill) {
        long pulledNow = pulls.progress();
        long answeredNow = targetsStandStill ? targets.answered() : Long.MIN_VALUE;
        boolean pulledMore = pulledNow > pulled;
        boolean made = pulledMore || answeredNow > answered;
        answered = pulledMore ? answeredNow : Math.max(answeredNow, answered);
        pulled = Math.max(pulledNow, pulled);
        return made;
    }
}
