/// Tests of what concerns the clients of all event loops.
@NullMarked
package io.tallis.command.clients;

import org.jspecify.annotations.NullMarked;
