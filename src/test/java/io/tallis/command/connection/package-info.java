/// Tests of the shape of replies that tools rely on.
@NullMarked
package io.tallis.command.connection;

import org.jspecify.annotations.NullMarked;
