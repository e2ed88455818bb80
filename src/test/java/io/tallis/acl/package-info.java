@NullMarked
package io.tallis.acl;

import org.jspecify.annotations.NullMarked;
