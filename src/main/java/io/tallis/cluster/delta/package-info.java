/// Own changes out, others' changes in, and the repair of what was lost on the way.
///
/// In reading order: [io.tallis.cluster.delta.Deltas] (sends), [io.tallis.cluster.delta.Intake] (merges),
/// [io.tallis.cluster.delta.Gaps] (asks for what is missing), [io.tallis.cluster.delta.Answers] (answers),
/// [io.tallis.cluster.delta.Rotation] (sends everything again, slowly), [io.tallis.cluster.delta.Leftovers] (what
/// departed sessions left here alone).
@NullMarked
package io.tallis.cluster.delta;

import org.jspecify.annotations.NullMarked;
