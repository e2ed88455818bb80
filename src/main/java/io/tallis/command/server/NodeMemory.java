package io.tallis.command.server;

/// The memory of the node.
public interface NodeMemory {
    MemoryUse now();

    void collectGarbage();
}
