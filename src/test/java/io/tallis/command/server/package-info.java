/// What commands about the node do by themselves; the whole of them is tried in `InfoIT`.
@NullMarked
package io.tallis.command.server;

import org.jspecify.annotations.NullMarked;
