/// The parts together: with clients that people use, and killed in the midst of their work.
@NullMarked
package io.tallis.server;

import org.jspecify.annotations.NullMarked;
