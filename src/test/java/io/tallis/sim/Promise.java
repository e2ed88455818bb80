package io.tallis.sim;

/// What a client was told to be done, and that its node's disk therefore has.
interface Promise {}
