/// Tests of the facts of commands, and the reference page that is made from them.
@NullMarked
package io.tallis.command.facts;

import org.jspecify.annotations.NullMarked;
