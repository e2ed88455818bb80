/// Threads that are ours.
@NullMarked
package io.tallis.runtime;

import org.jspecify.annotations.NullMarked;
