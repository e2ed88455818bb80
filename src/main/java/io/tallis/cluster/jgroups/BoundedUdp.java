package io.tallis.cluster.jgroups;

import io.tallis.cluster.jgroups.PacketCipher.Kind;
import java.io.DataInput;
import java.util.Objects;
import org.jgroups.Address;
import org.jgroups.protocols.UDP;

/// JGroups' UDP, which passes on only those datagrams that a [PacketGuard] lets in.
///
/// Every datagram is sent by [#doSend] and received by [#receive], whatever protocol it is for.
public final class BoundedUdp extends UDP {
    private PacketGuard guard;

    @SuppressWarnings(
            "NullAway.Init") // JGroups makes protocols by reflection; JGroupsStack sets the guard before their init.
    public BoundedUdp() {}

    void guard(PacketGuard by) {
        guard = by;
    }

    @Override
    public void doSend(byte[] message, int offset, int length, Address to) throws Exception {
        byte[] packet = guard.seal(Kind.MESSAGE, message, offset, length);
        super.doSend(packet, 0, packet.length, to);
    }

    @Override
    public void receive(Address sender, byte[] packet, int offset, int length) {
        if (Objects.equals(sender, local_physical_addr)) {
            return;
        }
        byte[] message = guard.open(Kind.MESSAGE, PacketGuard.host(sender), packet, offset, length);
        if (message != null) {
            super.receive(sender, message, 0, message.length);
        }
    }

    /// Only transports over blocking streams use this way in.
    @Override
    public void receive(Address sender, DataInput in, int length) {
        throw new UnsupportedOperationException("datagrams are not streams");
    }
}
