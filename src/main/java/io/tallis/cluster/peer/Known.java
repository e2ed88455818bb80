package io.tallis.cluster.peer;

/// What is known of a session: all its own changes up to a frame, and its news up to a number.
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
