/// The commands of access control.
///
/// Owns no state: users and rules are in [io.tallis.acl]. Read [AclCommands], then [AclFileCommands].
@NullMarked
package io.tallis.command.acl;

import org.jspecify.annotations.NullMarked;
