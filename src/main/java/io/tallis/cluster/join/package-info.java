/// When a node may serve clients, and which cluster it belongs to: [io.tallis.cluster.join.Joining].
@NullMarked
package io.tallis.cluster.join;

import org.jspecify.annotations.NullMarked;
