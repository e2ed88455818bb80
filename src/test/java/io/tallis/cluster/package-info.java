/// Tests of convergence, one mechanism at a time.
@NullMarked
package io.tallis.cluster;

import org.jspecify.annotations.NullMarked;
