/// Tests of Redis's commands.
@NullMarked
package io.tallis.command.redis;

import org.jspecify.annotations.NullMarked;
