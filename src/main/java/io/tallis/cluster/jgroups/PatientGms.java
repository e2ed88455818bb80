package io.tallis.cluster.jgroups;

import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.pbcast.ClientGmsImpl;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.util.Responses;
import org.jgroups.util.Util;

/// GMS whose newcomers tell members from other newcomers.
///
/// Who finds members, but not the one that admits, as long as that hangs and nobody has taken its place, has to try
/// again. The original takes all that answer for newcomers then: the first by address makes a group of its own, and
/// such a node would serve without what the others have.
public final class PatientGms extends GMS {
    /// Between two attempts, each of which takes up to twice the join_timeout.
    private static final long PAUSE_MILLIS = 100;

    public PatientGms() {
        // On the wire it is GMS.
        id = ClassConfigurator.getProtocolId(GMS.class);
    }

    @Override
    public void init() throws Exception {
        super.init();
        impls.put(CLIENT, new Newcomer(this));
    }

    static final class Newcomer extends ClientGmsImpl {
        Newcomer(GMS gms) {
            super(gms);
        }

        /// Returns whether this one has made a group.
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
