/// `MULTI`, `EXEC`, `DISCARD`, `WATCH` and `UNWATCH`.
///
/// Owns the execution of a transaction; its state belongs to the client ([io.tallis.command.Transaction]), and the
/// dispatcher queues the commands.
@NullMarked
package io.tallis.command.transaction;

import org.jspecify.annotations.NullMarked;
