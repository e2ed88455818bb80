/// Tests of keyspace notifications.
@NullMarked
package io.tallis.command.notifications;

import org.jspecify.annotations.NullMarked;
