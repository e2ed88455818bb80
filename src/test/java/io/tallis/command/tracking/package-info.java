/// Tests of client-side caching.
@NullMarked
package io.tallis.command.tracking;

import org.jspecify.annotations.NullMarked;
