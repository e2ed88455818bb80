/// Settings come from where they should and are refused in words that help.
@NullMarked
package io.tallis.config;

import org.jspecify.annotations.NullMarked;
