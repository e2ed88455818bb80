/// What clients are told about commands has the shape that their tools rely on.
@NullMarked
package io.tallis.command.connection;

import org.jspecify.annotations.NullMarked;
