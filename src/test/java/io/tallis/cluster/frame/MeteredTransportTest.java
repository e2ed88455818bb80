package io.tallis.cluster.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.frame.MeteredTransport.Traffic;
import io.tallis.cluster.records.NodeGen;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MeteredTransportTest {
    private static final ReplicaId OWN = NodeGen.session(1);
    private static final ReplicaId PEER = NodeGen.session(2);
    private static final ReplicaId OTHER = NodeGen.session(3);

    private final List<String> carried = new ArrayList<>();
    private final MeteredTransport metered = new MeteredTransport(new Carrier(), OWN);

    private final class Carrier implements Transport {
        @Override
        public void multicast(byte[] frame) {
            carried.add("all " + frame.length);
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            carried.add(to.low() + " " + frame.length);
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            carried.add("perhaps " + to.low() + " " + frame.length);
        }
    }

    @Test
    void frames_inBothDirections_arePassedOn() {
        metered.multicast(new byte[5]);
        metered.send(PEER, new byte[7]);
        metered.sendUnreliably(PEER, new byte[3]);

        assertThat(carried).containsExactly("all 5", "2 7", "perhaps 2 3");
    }

    @Test
    void multicast_countsForEachPeerAndOnceInAll() {
        metered.onPeers(List.of(OWN, PEER, OTHER));

        metered.multicast(new byte[5]);

        assertThat(metered.traffic(PEER)).isEqualTo(new Traffic(0, 5));
        assertThat(metered.traffic(OTHER)).isEqualTo(new Traffic(0, 5));
        assertThat(metered.traffic()).isEqualTo(new Traffic(0, 5));
    }

    @Test
    void unicast_countsForItsPeerOnly() {
        metered.onPeers(List.of(OWN, PEER, OTHER));

        metered.send(PEER, new byte[7]);

        assertThat(metered.traffic(PEER)).isEqualTo(new Traffic(0, 7));
        assertThat(metered.traffic(OTHER)).isEqualTo(new Traffic(0, 0));
    }

    @Test
    void receivedFrame_countsForItsSender() {
        metered.onPeers(List.of(OWN, PEER));

        metered.received(PEER, new byte[9]);
        metered.received(OTHER, new byte[2]);

        assertThat(metered.traffic(PEER)).isEqualTo(new Traffic(9, 0));
        assertThat(metered.traffic()).isEqualTo(new Traffic(11, 0));
        assertThat(metered.framesIn()).isEqualTo(2);
    }

    @Test
    void traffic_ofAPeerThatBecameUnreachable_isDropped() {
        metered.onPeers(List.of(OWN, PEER));
        metered.send(PEER, new byte[7]);

        metered.onPeers(List.of(OWN));
        metered.onPeers(List.of(OWN, PEER));

        assertThat(metered.traffic(PEER)).isEqualTo(new Traffic(0, 0));
        assertThat(metered.traffic().bytesOut()).isEqualTo(7);
    }
}
