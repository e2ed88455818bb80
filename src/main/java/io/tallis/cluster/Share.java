package io.tallis.cluster;

/// How much of what all nodes have a session has, as far as it knows; see [OwnShare].
public enum Share {
    /// It came without counters, and has got none from others.
    NONE,
    /// Less than others have.
    PART,
    /// It was whole, and has far less than one that is: others want to have what it has all the same.
    LESS,
    /// All that it ever had, or all that such a session had.
    WHOLE;

    /// Whether it lacks something that others have, as far as it knows.
    boolean lacksSomething() {
        return this == PART || this == LESS;
    }

    /// What an operator can do about a wait of such a session, and what it costs.
    public String wayOut() {
        return "SYSTEM READY ends the wait"
                + switch (this) {
                    case NONE -> ", and has the node serve with nothing until others bring more";
                    case PART, LESS -> ", but takes the part of the counters that is here for all that there is";
                    case WHOLE -> "";
                };
    }

    /// Whether it is, or was in this life, all that there is as far as was known.
    boolean wasWhole() {
        return this == WHOLE || this == LESS;
    }
}
