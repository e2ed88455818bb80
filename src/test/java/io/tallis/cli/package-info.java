/// What an operator types and reads, of the parts and of real processes.
@NullMarked
package io.tallis.cli;

import org.jspecify.annotations.NullMarked;
