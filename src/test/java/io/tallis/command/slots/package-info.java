@NullMarked
package io.tallis.command.slots;

import org.jspecify.annotations.NullMarked;
