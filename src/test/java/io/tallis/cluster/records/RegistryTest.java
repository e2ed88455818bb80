package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallis.cluster.records.Registry.Forgetting;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RegistryTest {
    private static final UUID NORTH = NodeGen.uuid(101);
    private static final UUID SOUTH = NodeGen.uuid(102);

    private final MemoryStore disk = new MemoryStore();

    private static final class MemoryStore implements Registry.Store {
        private byte @Nullable [] saved;
        private int saves;

        @Override
        public byte @Nullable [] load() {
            return saved;
        }

        @Override
        public void save(byte[] bytes) {
            saved = bytes;
            saves++;
        }
    }

    private static Registry registry(UUID node, int session, Registry.Store store) {
        Registry registry = new Registry(
                new Self(node, "node-" + node.getLeastSignificantBits(), "h:1"), NodeGen.session(session), store);
        registry.publish();
        return registry;
    }

    private static Registry north(int session) {
        return registry(NORTH, session, new MemoryStore());
    }

    private static Registry south(int session) {
        return registry(SOUTH, session, new MemoryStore());
    }

    private static void tellAll(Registry from, Registry to) throws MalformedException {
        for (byte[] piece : from.allRecordBodies()) {
            to.onRecords(ByteReader.of(piece));
        }
        to.publish();
    }

    @Test
    void newRegistry_knowsItsOwnNode() {
        Registry registry = north(1);

        assertThat(registry.known().nameOf(NodeGen.session(1))).isEqualTo("node-101");
    }

    @Test
    void start_afterAnother_hasTheNextVersionAndTheFormerSession() {
        registry(NORTH, 1, disk);

        Registry second = registry(NORTH, 2, disk);

        assertThat(second.known().visible().getFirst().version()).isEqualTo(2);
        assertThat(second.known().nameOf(NodeGen.session(1))).isEqualTo("node-101");
    }

    @Test
    void newRegistry_savesNothingBeforeItIsPublished() {
        new Registry(new Self(NORTH, "north", "h:1"), NodeGen.session(1), disk);

        assertThat(disk.saves).isZero();
    }

    @Test
    void addresses_setAfterTheStart_areShown() {
        Registry registry = north(1);

        registry.addresses(new Addresses("h:2", "h:3", "h:4"));

        assertThat(registry.known().visible().getFirst().newest().addresses())
                .isEqualTo(new Addresses("h:2", "h:3", "h:4"));
    }

    @Test
    void start_withAnUnreadableFile_isEmptyAndCounted() {
        disk.save(new byte[] {99, 1, 2});

        Registry registry = registry(NORTH, 1, disk);

        assertThat(registry.known().visible()).hasSize(1);
        assertThat(registry.refused()).isEqualTo(1);
        assertThat(registry.nodesExpected()).isEqualTo(Registry.MOST_NODES);
    }

    @Test
    void publish_withoutAChange_savesNothing() throws MalformedException {
        Registry registry = registry(NORTH, 1, disk);
        int before = disk.saves;

        registry.onRecords(ByteReader.of(registry.ownRecordBody()));
        registry.publish();

        assertThat(disk.saves).isEqualTo(before);
    }

    @Test
    void hashes_ofRegistriesThatExchangedRecords_areEqual() throws MalformedException {
        Registry north = north(1);
        Registry south = south(2);
        long apart = north.hash();

        tellAll(north, south);
        tellAll(south, north);

        assertThat(north.hash()).isEqualTo(south.hash()).isNotEqualTo(apart);
    }

    @Test
    void records_receivedInAnyOrder_makeEqualRegistries() {
        Property.forAll(gen -> {
            List<NodeRecord> records = new NodeGen(gen).anyRecords(8);
            Registry one = north(1);
            Registry other = north(1);

            tell(records, one);
            tell(shuffled(records, gen), other);
            one.publish();
            other.publish();

            assertThat(one.hash()).isEqualTo(other.hash());
            assertThat(one.known().visible()).isEqualTo(other.known().visible());
        });
    }

    private static void tell(List<NodeRecord> records, Registry to) throws MalformedException {
        for (NodeRecord record : records) {
            to.onRecords(ByteReader.of(NodeRecordCodec.one(record, NodeRecord.MOST_SESSIONS)));
        }
    }

    private static List<NodeRecord> shuffled(List<NodeRecord> records, Gen gen) {
        List<NodeRecord> shuffled = new ArrayList<>(records);
        Collections.shuffle(shuffled, new Random(gen.anyLong()));
        return shuffled;
    }

    @Test
    void hash_ofEqualRecordsInAnotherOrder_isEqual() {
        Property.forAll(gen -> {
            List<NodeRecord> records = new NodeGen(gen).anyRecords(8);
            Registry grown = north(1);
            tell(records, grown);

            Registry told = north(1);
            tellAll(grown, told);

            assertThat(told.hash()).isEqualTo(grown.hash());
        });
    }

    @Test
    void records_whenMalformed_changeNothing() {
        Registry registry = north(1);
        byte[] good = south(2).ownRecordBody();
        byte[] bad = java.util.Arrays.copyOf(good, good.length + 3);
        long before = registry.hash();

        assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> registry.onRecords(ByteReader.of(bad)));
        assertThat(registry.hash()).isEqualTo(before);
    }

    @Test
    void node_restoredFromABackup_continuesFromTheVersionThatOthersKnow() throws MalformedException {
        Registry witness = south(9);
        registry(NORTH, 1, disk);
        byte[] old = disk.saved;
        tellAll(registry(NORTH, 2, disk), witness);
        tellAll(registry(NORTH, 3, disk), witness);
        disk.saved = old;

        Registry restored = registry(NORTH, 4, disk);
        tellAll(witness, restored);

        NodeRecord own = restored.known().find("node-101").orElseThrow();
        assertThat(own.version()).isEqualTo(4);
        assertThat(own.newest().session().id()).isEqualTo(NodeGen.session(4));
        assertThat(restored.takeOwnChanged()).isTrue();
    }

    @Test
    void reachableSession_ofACopiedDirectory_isNotSuperseded() throws MalformedException {
        Registry original = north(1);
        Registry copy = north(2);
        original.onReachable(Set.of(NodeGen.session(1), NodeGen.session(2)));
        copy.onReachable(Set.of(NodeGen.session(1), NodeGen.session(2)));

        tellAll(copy, original);
        tellAll(original, copy);

        assertThat(original.hash()).isEqualTo(copy.hash());
        assertThat(original.known().visible().getFirst().version()).isEqualTo(1);
    }

    @Test
    void unreachableSession_ofACopiedDirectory_isSuperseded() throws MalformedException {
        Registry original = north(1);
        original.onReachable(Set.of(NodeGen.session(1), NodeGen.session(2)));
        tellAll(north(2), original);

        original.onReachable(Set.of(NodeGen.session(1)));
        original.publish();

        assertThat(original.known().visible().getFirst().newest().session().id())
                .isEqualTo(NodeGen.session(1));
    }

    @Test
    void state_thatIsEarlier_isIgnored() {
        Registry registry = north(1);

        registry.state(NodeState.READY);
        registry.state(NodeState.JOINING);
        registry.publish();

        assertThat(registry.known().visible().getFirst().newest().state()).isEqualTo(NodeState.READY);
    }

    @Test
    void ownChange_whenAskedForTwice_isReturnedOnce() {
        Registry registry = north(1);

        assertThat(registry.takeOwnChanged()).isTrue();
        assertThat(registry.takeOwnChanged()).isFalse();
    }

    @Test
    void forget_ofAnUnreachableNode_hidesIt() throws MalformedException {
        Registry north = north(1);
        tellAll(south(2), north);

        assertThat(north.forget("node-102")).isEqualTo(Forgetting.DONE);
        assertThat(north.known().visible()).hasSize(1);
    }

    @Test
    void forget_ofAReachableNode_isRefused() throws MalformedException {
        Registry north = north(1);
        tellAll(south(2), north);
        north.onReachable(Set.of(NodeGen.session(1), NodeGen.session(2)));

        assertThat(north.forget("node-102")).isEqualTo(Forgetting.PRESENT);
        assertThat(north.forget("node-101")).isEqualTo(Forgetting.PRESENT);
        assertThat(north.forget("node-103")).isEqualTo(Forgetting.UNKNOWN);
    }

    @Test
    void forgottenNode_thatStartsAgain_isVisible() throws MalformedException {
        Registry north = north(1);
        tellAll(registry(SOUTH, 2, disk), north);
        north.forget("node-102");

        tellAll(registry(SOUTH, 3, disk), north);

        assertThat(north.known().visible()).hasSize(2);
    }

    @Test
    void node_thatWasForgottenWhileItRuns_isVisibleAtOnce() throws MalformedException {
        Registry north = north(1);
        Registry south = south(2);
        tellAll(south, north);
        north.forget("node-102");

        tellAll(north, south);
        tellAll(south, north);

        assertThat(north.known().visible()).hasSize(2);
    }

    @Test
    void nodes_beyondTheBound_areRefusedAndCounted() throws MalformedException {
        Registry registry = north(1);
        List<NodeRecord> many = new ArrayList<>();
        for (int node = 1; node <= Registry.MOST_NODES; node++) {
            many.add(NodeRecord.of(new UUID(5, node), NodeGen.life(1, 1000 + node, NodeState.READY, "n" + node)));
        }

        for (byte[] piece : NodeRecordCodec.pieces(many, 60_000)) {
            registry.onRecords(ByteReader.of(piece));
        }
        registry.publish();

        assertThat(registry.known().visible()).hasSize(Registry.MOST_NODES);
        assertThat(registry.refused()).isEqualTo(1);
    }

    @Test
    void bodies_ofAllRecords_fitFrames() throws MalformedException {
        Registry registry = north(1);
        for (int node = 1; node <= 2000; node++) {
            NodeRecord record =
                    NodeRecord.of(new UUID(5, node), NodeGen.life(1, 1000 + node, NodeState.READY, "n" + node));
            registry.onRecords(ByteReader.of(NodeRecordCodec.one(record, 1)));
        }

        assertThat(registry.allRecordBodies()).hasSizeGreaterThan(1).allMatch(piece -> piece.length <= 60_000);
    }
}
