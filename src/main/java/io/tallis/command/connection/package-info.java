/// What a client says about itself and its connection: who it is, which protocol it speaks, transactions,
/// subscriptions, what commands there are.
///
/// Read [ConnectionCommands], which says what there is.
@NullMarked
package io.tallis.command.connection;

import org.jspecify.annotations.NullMarked;
