package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class KnownNodesTest {
    private static final UUID FIRST = UUID.fromString("1a2b0000-0000-4000-8000-000000000001");
    private static final UUID SECOND = UUID.fromString("2c3d0000-0000-4000-8000-000000000002");
    private static final UUID THIRD = UUID.fromString("2c3d9000-0000-4000-8000-000000000003");

    @Test
    void node_withANameOfItsOwn_hasThatName() {
        KnownNodes known = new KnownNodes(List.of(node(FIRST, 1, "north"), node(SECOND, 2, "south")), Set.of());

        assertThat(known.nameOf(NodeGen.session(2))).isEqualTo("south");
    }

    @Test
    void formerSession_ofANode_hasTheNameOfTheNode() {
        NodeRecord renamed = node(FIRST, 1, "former").with(NodeGen.life(2, 5, NodeState.READY, "north"));

        KnownNodes known = new KnownNodes(List.of(renamed), Set.of());

        assertThat(known.nameOf(NodeGen.session(1))).isEqualTo("north");
    }

    @Test
    void session_ofAnUnknownNode_isShownAsItsDigits() {
        KnownNodes known = new KnownNodes(List.of(), Set.of());

        assertThat(known.nameOf(NodeGen.session(1))).isEqualTo("00000000000000070000000000000001");
    }

    @Test
    void namesakes_allButOne_haveDigitsOfTheirUuids() {
        KnownNodes known = new KnownNodes(
                List.of(node(THIRD, 3, "north"), node(SECOND, 2, "north"), node(FIRST, 1, "north")), Set.of());

        assertThat(known.nameOf(FIRST)).isEqualTo("north");
        assertThat(known.nameOf(SECOND)).isEqualTo("north-2c3d");
        assertThat(known.nameOf(THIRD)).isEqualTo("north-2c3d9");
    }

    @Test
    void namesake_whoseSuffixedNameIsAnothersOwn_hasMoreDigits() {
        KnownNodes known =
                new KnownNodes(List.of(node(FIRST, 1, "a"), node(SECOND, 2, "a"), node(THIRD, 3, "a-2c3d")), Set.of());

        assertThat(known.nameOf(SECOND)).isEqualTo("a-2c3d0");
        assertThat(known.nameOf(THIRD)).isEqualTo("a-2c3d");
    }

    /// A node that lost its disk continues as another node.
    @Test
    void namesake_thatIsUnreachable_leavesTheNameToTheOther() {
        KnownNodes known =
                new KnownNodes(List.of(node(FIRST, 1, "north"), node(SECOND, 2, "north")), Set.of(NodeGen.session(2)));

        assertThat(known.nameOf(SECOND)).isEqualTo("north");
        assertThat(known.nameOf(FIRST)).isEqualTo("north-1a2b");
    }

    @Test
    void namesake_thatIsHidden_leavesTheNameToTheOther() {
        KnownNodes known =
                new KnownNodes(List.of(node(FIRST, 1, "north").forgotten(), node(SECOND, 2, "north")), Set.of());

        assertThat(known.nameOf(SECOND)).isEqualTo("north");
        assertThat(known.nameOf(FIRST)).isEqualTo("north-1a2b");
    }

    @Test
    void hiddenNode_isNamedAndNotListed() {
        KnownNodes known = new KnownNodes(List.of(node(FIRST, 1, "north").forgotten()), Set.of());

        assertThat(known.visible()).isEmpty();
        assertThat(known.nameOf(NodeGen.session(1))).isEqualTo("north");
    }

    @Test
    void find_byNameUuidOrSession_findsTheNode() {
        NodeRecord north = node(FIRST, 1, "north");
        KnownNodes known = new KnownNodes(List.of(north, node(SECOND, 2, "south")), Set.of());

        assertThat(known.find("north")).contains(north);
        assertThat(known.find(FIRST.toString().toUpperCase(java.util.Locale.ROOT)))
                .contains(north);
        assertThat(known.find(NodeGen.session(1).toString())).contains(north);
        assertThat(known.find("east")).isEmpty();
    }

    /// A name that an operator has read still means the same node when its namesake was forgotten meanwhile.
    @Test
    void find_byNameWithDigitsOfANodeThatHasThePlainNameNow_findsIt() {
        NodeRecord second = node(SECOND, 2, "north");
        KnownNodes known = new KnownNodes(List.of(node(FIRST, 1, "north").forgotten(), second), Set.of());

        assertThat(known.nameOf(SECOND)).isEqualTo("north");
        assertThat(known.find("north-2c3d")).contains(second);
        assertThat(known.find("north-2c3")).isEmpty();
        assertThat(known.find("south-2c3d")).isEmpty();
    }

    private static NodeRecord node(UUID uuid, int session, String name) {
        return NodeRecord.of(uuid, NodeGen.life(1, session, NodeState.READY, name));
    }
}
