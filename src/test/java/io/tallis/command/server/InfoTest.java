package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class InfoTest {
    private final InfoFields fields = new InfoFields();

    @Test
    void fields_areRenderedByType() {
        fields.field("a", 1)
                .flag("b", true)
                .flag("c", false)
                .decimal("d", 1.0 / 3, 2)
                .percent("e", 12.345);

        assertThat(lines()).isEqualTo("a:1\r\nb:1\r\nc:0\r\nd:0.33\r\ne:12.35%\r\n");
    }

    @Test
    void bytes_haveASecondLineForPeople() {
        fields.bytes("x", 1536).bytes("y", 12).bytes("z", 5L << 30);

        assertThat(lines())
                .isEqualTo("x:1536\r\nx_human:1.50K\r\ny:12\r\ny_human:12B\r\nz:5368709120\r\nz_human:5.00G\r\n");
    }

    @Test
    void text_withLineBreaks_staysOnItsLine() {
        fields.field("name", "a\r\nrole:slave");

        assertThat(lines()).isEqualTo("name:a  role:slave\r\n");
    }

    @Test
    void group_isOneLine() {
        fields.group("db0", group -> group.field("keys", 3).decimal("ttl", 0.5, 3));

        assertThat(lines()).isEqualTo("db0:keys=3,ttl=0.500\r\n");
    }

    @Test
    void text_inAGroup_cannotPassForAnotherMember() {
        fields.group("peer0", group -> group.field("name", "a,state=ready").field("state", "absent"));

        assertThat(lines()).isEqualTo("peer0:name=a_state_ready,state=absent\r\n");
    }

    private String lines() {
        return Info.lines(fields.list());
    }
}
