/// Tests of what commands are written with and checked by. The commands themselves are tested by the dialogues in
/// `transcript`.
@NullMarked
package io.tallis.command.dispatch;

import org.jspecify.annotations.NullMarked;
