package io.tallis.cluster.jgroups;

import org.jgroups.Event;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;

/// MERGE3 that goes on looking for other groups until there is a new view.
///
/// The original stops when a view is announced, and starts again when that view is installed. A member can be told
/// twice of the view that ends a partition, by two threads: when the second announces it after the first installed it,
/// nothing is installed any more and nothing starts again. That member then never notices the next partition, nor do
/// the others notice that it has an outdated view.
public final class SteadyMerge extends MERGE3 {
    public SteadyMerge() {
        // On the wire it is MERGE3.
        id = ClassConfigurator.getProtocolId(MERGE3.class);
    }

    @Override
    public Object down(Event event) {
        return event.getType() == Event.TMP_VIEW ? down_prot.down(event) : super.down(event);
    }
}
