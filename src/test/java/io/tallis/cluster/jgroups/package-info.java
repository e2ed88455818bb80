/// Tests of the adapter: real channels on the loopback interface.
@NullMarked
package io.tallis.cluster.jgroups;

import org.jspecify.annotations.NullMarked;
