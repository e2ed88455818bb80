/// Unit tests of the commands about the node. `InfoIT` tests them on a whole server.
@NullMarked
package io.tallis.command.server;

import org.jspecify.annotations.NullMarked;
