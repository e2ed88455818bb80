/// Tests of the commands about other nodes.
@NullMarked
package io.tallis.command.cluster;

import org.jspecify.annotations.NullMarked;
