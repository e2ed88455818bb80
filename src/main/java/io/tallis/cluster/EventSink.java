package io.tallis.cluster;

/// Is told in a sentence what happened in the cluster, for people.
@FunctionalInterface
interface EventSink {
    void happened(String what);
}
