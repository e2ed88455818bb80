/// Tests of limits.
@NullMarked
package io.tallis.command.limit;

import org.jspecify.annotations.NullMarked;
