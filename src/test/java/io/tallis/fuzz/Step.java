package io.tallis.fuzz;

import java.util.List;

/// Requests that belong together, of one client; then a pause, so that a deadline passes.
record Step(int client, List<Request> requests, int pauseMillis) {
    Step(int client, List<Request> requests) {
        this(client, requests, 0);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Request request : requests) {
            text.append(text.isEmpty() ? "" : "\n").append(client).append("> ").append(request);
        }
        return pauseMillis == 0 ? text.toString() : text + "\n   (" + pauseMillis + " ms)";
    }
}
