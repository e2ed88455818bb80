package io.tallis.cluster.jgroups;

import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/// What arrives on a channel, on whatever thread of JGroups, passed on.
///
/// Views come one at a time, while JGroups holds a lock that all membership depends on: nothing may be sent or
/// waited for here.
final class Inbox implements Receiver {
    private final JGroupsTransport transport;
    private final Transport.Receiver receiver;
    private volatile @Nullable ViewId newest;

    Inbox(JGroupsTransport transport, Transport.Receiver receiver) {
        this.transport = transport;
        this.receiver = receiver;
    }

    @Override
    public void viewAccepted(View view) {
        ViewId last = newest;
        if (last != null && view.getViewId().compareToIDs(last) <= 0) {
            return;
        }
        newest = view.getViewId();
        Set<Address> members = new LinkedHashSet<>(view.getMembers());
        transport.membersAre(Set.copyOf(members));
        receiver.onView(members.stream()
                .filter(UUID.class::isInstance)
                .map(Inbox::session)
                .toList());
    }

    @Override
    public void receive(MessageBatch batch) {
        batch.forEach(this::receive);
    }

    /// The sender named in the message itself counts, which is the one that encryption covers.
    @Override
    public void receive(Message message) {
        Address sender = message.getSrc();
        if (sender instanceof UUID && message.hasArray() && !sender.equals(transport.address())) {
            receiver.onFrame(session(sender), frame(message));
        }
    }

    private static byte[] frame(Message message) {
        byte[] array = message.getArray();
        int from = message.getOffset();
        int length = message.getLength();
        return from == 0 && length == array.length ? array : Arrays.copyOfRange(array, from, from + length);
    }

    private static ReplicaId session(Address address) {
        UUID id = (UUID) address;
        return new ReplicaId(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
