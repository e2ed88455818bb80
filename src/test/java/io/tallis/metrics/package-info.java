/// What can happen is counted as it happened.
@NullMarked
package io.tallis.metrics;

import org.jspecify.annotations.NullMarked;
