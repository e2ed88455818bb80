/// The rules for all commands, and the parts that commands are made of. The commands themselves are tested by
/// dialogues, in `transcript`.
@NullMarked
package io.tallis.command.facts;

import org.jspecify.annotations.NullMarked;
