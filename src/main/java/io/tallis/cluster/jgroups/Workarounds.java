package io.tallis.cluster.jgroups;

import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.pbcast.ClientGmsImpl;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.util.Responses;
import org.jgroups.util.Util;

/// Protocols of JGroups with one fault mended each, as decision 0019 reports them. On the wire they are the originals.
final class Workarounds {
    private Workarounds() {}

    /// MERGE3 that goes on looking for other groups until a new view is installed.
    ///
    /// The original stops when a view is announced (TMP_VIEW) and starts again when it is installed. A member can be
    /// told twice of the view that ends a partition, by two threads. If the second announcement comes after the
    /// installation, nothing is installed any more and nothing starts again, so that member never notices the next
    /// partition, nor do the others notice that its view is outdated.
    public static final class Merge extends MERGE3 {
        public Merge() {
            id = ClassConfigurator.getProtocolId(MERGE3.class);
        }

        @Override
        public Object down(Event event) {
            return event.getType() == Event.TMP_VIEW ? down_prot.down(event) : super.down(event);
        }
    }

    /// GMS whose joiner tells members from other joiners.
    ///
    /// A joiner that finds members, but not their coordinator, has to try again: the coordinator hangs or has just
    /// ended, and no other has taken its place yet. The original takes all that it found for joiners like itself; the
    /// first by address then makes a group of its own.
    public static final class Membership extends GMS {
        /// Between two attempts, each of which takes up to twice the join_timeout.
        private static final long PAUSE_MILLIS = 100;

        public Membership() {
            id = ClassConfigurator.getProtocolId(GMS.class);
        }

        @Override
        public void init() throws Exception {
            super.init();
            impls.put(CLIENT, new Joiner(this));
        }

        private static final class Joiner extends ClientGmsImpl {
            Joiner(GMS gms) {
                super(gms);
            }

            /// Returns whether the joiner has made a group of its own.
            @Override
            protected boolean firstOfAllClients(Address joiner, Responses responses) {
                for (PingData response : responses) {
                    if (response.isServer()) {
                        Util.sleep(PAUSE_MILLIS);
                        return false;
                    }
                }
                return super.firstOfAllClients(joiner, responses);
            }
        }
    }
}
