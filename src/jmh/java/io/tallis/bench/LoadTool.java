package io.tallis.bench;

/// Sends requests for random keys as fast as they are answered.
interface LoadTool {
    /// The name for people.
    String title();

    /// Returns requests a second; throws when any is answered with an error.
    double run(Subject subject, Workload workload, int pipeline, long requests, int keys);
}
