/// Client-side caching: clients that cache what they have read are told when that changes (`CLIENT TRACKING`).
///
/// Owns which client has read which key, and the thread `tracking`. Start with [Tracking].
@NullMarked
package io.tallis.command.tracking;

import org.jspecify.annotations.NullMarked;
