package io.tallis.cluster.peer;

/// How much of one session's changes a node has: all frames up to `frames`, and all that it announced up to news number
/// `news`. See [Sessions] for what news are.
public record Known(long frames, long news) {
    public static final Known NOTHING = new Known(0, 0);

    public boolean covers(Known other) {
        return frames >= other.frames && news >= other.news;
    }

    Known larger(Known other) {
        return new Known(Math.max(frames, other.frames), Math.max(news, other.news));
    }

    Known smaller(Known other) {
        return new Known(Math.min(frames, other.frames), Math.min(news, other.news));
    }
}
