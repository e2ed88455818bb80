package io.tallis.cluster.jgroups;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;

/// An object that prints a line when it is deserialised, in place of one that does harm.
final class Trap implements Serializable {
    static final String SPRUNG = "sprung by ";

    @Serial
    private static final long serialVersionUID = 1;

    private final String setFor;

    Trap(String setFor) {
        this.setFor = setFor;
    }

    @Serial
    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        System.out.println(SPRUNG + setFor);
    }
}
