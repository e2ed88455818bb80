/// Tests of the commands for hashes and sorted sets.
@NullMarked
package io.tallis.command.hash;

import org.jspecify.annotations.NullMarked;
