/// The rules of the architecture page, as tests.
@NullMarked
package io.tallis.arch;

import org.jspecify.annotations.NullMarked;
