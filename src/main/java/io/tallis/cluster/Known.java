package io.tallis.cluster;

/// What is known of a session: all its own changes up to a frame, and its news up to a number.
record Known(long frames, long news) {
    static final Known NOTHING = new Known(0, 0);

    boolean covers(Known other) {
        return frames >= other.frames && news >= other.news;
    }

    Known larger(Known other) {
        return new Known(Math.max(frames, other.frames), Math.max(news, other.news));
    }

    Known smaller(Known other) {
        return new Known(Math.min(frames, other.frames), Math.min(news, other.news));
    }
}
