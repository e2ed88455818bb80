package io.tallis.cluster.records;

/// Is told in a sentence what happened in the cluster, for people.
@FunctionalInterface
public interface EventSink {
    void happened(String what);
}
