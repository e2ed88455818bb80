/// Commands about the connection itself and about what the server offers: greeting, authentication, `CLIENT`,
/// `COMMAND`, and polite refusals of Redis features that this server does not have.
///
/// Read [ConnectionCommands], [ClientCommands], [CommandCommands] and [AbsentFeatures], which list the commands.
@NullMarked
package io.tallis.command.connection;

import org.jspecify.annotations.NullMarked;
