/// Access control: users, what each may do, and the rules by which operators say so, which are those of Redis.
///
///     client ──▶ AccessControl.denial ──▶ NamedUser ──▶ Rules ──▶ Selector: AllowedCommands, KeyPattern, Pattern
///     ACL SETUSER, a file ──▶ Users ──▶ RulesEditor ──▶ Rules, which replace those of the NamedUser
///
/// Owns users and their rules. The commands are in `command.acl`; which keys and channels a request has is known to
/// [io.tallis.command.CommandEntry].
///
/// Threads: any. Rules are immutable, and a user's are replaced by one write.
///
/// Read [AccessControl], [NamedUser], [Rules] and [Selector], then [RulesEditor] with [CommandRules].
@NullMarked
package io.tallis.acl;

import org.jspecify.annotations.NullMarked;
