package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Property;
import org.junit.jupiter.api.Test;

/// Records of a node merge to the same in whatever order, and however often, they meet.
final class NodeRecordLawsTest {
    @Test
    void merge_inAnyOrder_isTheSame() {
        Property.forAll(gen -> {
            NodeGen nodes = new NodeGen(gen);
            NodeRecord one = nodes.anyRecordOf(1);
            NodeRecord other = nodes.anyRecordOf(1);

            assertThat(one.merge(other)).isEqualTo(other.merge(one));
        });
    }

    @Test
    void merge_howeverGrouped_isTheSame() {
        Property.forAll(gen -> {
            NodeGen nodes = new NodeGen(gen);
            NodeRecord a = nodes.anyRecordOf(1);
            NodeRecord b = nodes.anyRecordOf(1);
            NodeRecord c = nodes.anyRecordOf(1);

            assertThat(a.merge(b).merge(c)).isEqualTo(a.merge(b.merge(c)));
        });
    }

    @Test
    void merge_again_changesNothing() {
        Property.forAll(gen -> {
            NodeGen nodes = new NodeGen(gen);
            NodeRecord one = nodes.anyRecordOf(1);
            NodeRecord merged = one.merge(nodes.anyRecordOf(1));

            assertThat(merged.merge(one)).isEqualTo(merged);
        });
    }

    @Test
    void merge_ofAnyRecords_endsWithTheNewestSession() {
        Property.forAll(gen -> {
            NodeGen nodes = new NodeGen(gen);
            NodeRecord merged = nodes.anyRecordOf(1).merge(nodes.anyRecordOf(1));

            assertThat(merged.sessions()).isSorted().doesNotHaveDuplicates();
            assertThat(merged.sessions().getLast()).isEqualTo(merged.newest().session());
        });
    }
}
