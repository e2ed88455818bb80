/// What commands about the cluster answer.
@NullMarked
package io.tallis.command.cluster;

import org.jspecify.annotations.NullMarked;
