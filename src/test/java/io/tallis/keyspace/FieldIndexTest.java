package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/// The sorted list of an index, against a plain one.
final class FieldIndexTest {
    private static final int[] HASHES = {0, 1, 7, Integer.MAX_VALUE, Integer.MIN_VALUE, -1};

    @Test
    void index_afterAnyChanges_hasWhatASortedListHas() {
        Property.forAll(gen -> {
            LongAdder bytes = new LongAdder();
            FieldIndex index = new FieldIndex(bytes);
            List<Long> list = new ArrayList<>();
            int fields = gen.pick(3, 100, 100_000);
            for (int phase = 0; phase < 4; phase++) {
                int additions = gen.pick(5, 50, 95);
                for (int step = gen.between(0, 2_000); step > 0; step--) {
                    if (list.isEmpty() || gen.chance(additions)) {
                        long entry = entry(gen, fields);
                        index.add(entry);
                        add(list, entry);
                    } else {
                        index.remove(list.remove(gen.between(0, list.size() - 1)));
                    }
                }
                check(gen, index, list, fields);
            }
            list.forEach(index::remove);
            assertThat(index.isEmpty()).isTrue();
            assertThat(bytes.sum()).isZero();
        });
    }

    private static void check(Gen gen, FieldIndex index, List<Long> list, int fields) {
        List<Long> all = new ArrayList<>();
        index.forEach(all::add);
        assertThat(all).isEqualTo(list);
        for (int hash : HASHES) {
            List<Long> own = list.stream()
                    .filter(entry -> FieldIndex.hashOf(entry) == hash)
                    .toList();
            assertThat(index.count(hash)).isEqualTo(own.size());
            if (!own.isEmpty()) {
                int at = gen.between(0, own.size() - 1);
                assertThat(index.nth(hash, at)).isEqualTo(own.get(at));
            }
        }
        long from = entry(gen, fields);
        List<Long> left = list.stream()
                .filter(entry -> Long.compareUnsigned(entry, from) >= 0)
                .toList();
        assertThat(index.seek(from)).isEqualTo(!left.isEmpty());
        if (!left.isEmpty()) {
            assertThat(index.entry()).isEqualTo(left.getFirst());
        }
    }

    private static long entry(Gen gen, int fields) {
        return FieldIndex.entry(HASHES[gen.between(0, HASHES.length - 1)], gen.between(-fields, fields));
    }

    private static void add(List<Long> list, long entry) {
        int at = Collections.binarySearch(list, entry, Long::compareUnsigned);
        list.add(at < 0 ? -at - 1 : at, entry);
    }
}
