/// Tests of whole servers: with widely used clients, in clusters, and killed under load.
@NullMarked
package io.tallis.server;

import org.jspecify.annotations.NullMarked;
