/// Convergence, part by part.
@NullMarked
package io.tallis.cluster;

import org.jspecify.annotations.NullMarked;
