/// Own changes out, the changes of others in, and the repair of frames that were lost on the way.
///
/// In reading order: [io.tallis.cluster.delta.Deltas] with [io.tallis.cluster.delta.Entries] and
/// [io.tallis.cluster.delta.Batch] (changes out), [io.tallis.cluster.delta.Intake] (changes in, and when they are
/// acknowledged), [io.tallis.cluster.delta.Gaps] and [io.tallis.cluster.delta.Answers] (both sides of asking for a lost
/// frame), [io.tallis.cluster.delta.OrphanedChanges] (what crashed sessions left), [io.tallis.cluster.delta.Rotation]
/// (sends everything again, slowly).
@NullMarked
package io.tallis.cluster.delta;

import org.jspecify.annotations.NullMarked;
