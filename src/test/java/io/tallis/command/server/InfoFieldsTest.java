package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class InfoFieldsTest {
    private final InfoFields fields = new InfoFields();

    @Test
    void sections_haveHeadingsAndAnEmptyLineBetween() {
        fields.heading("server");
        fields.field("a", 1).flag("b", true);
        fields.heading("cpu");
        fields.decimal("c", 1.0 / 3, 2);

        assertThat(fields).hasToString("# Server\r\na:1\r\nb:1\r\n\r\n# CPU\r\nc:0.33\r\n");
    }

    @Test
    void bytes_areShownForPeopleToo() {
        fields.bytes("x", 1536).bytes("y", 12).bytes("z", 5L << 30);

        assertThat(fields)
                .hasToString("x:1536\r\nx_human:1.50K\r\ny:12\r\ny_human:12B\r\nz:5368709120\r\nz_human:5.00G\r\n");
    }

    @Test
    void value_withLineBreaks_staysOnItsLine() {
        fields.field("name", "a\r\nrole:slave");

        assertThat(fields).hasToString("name:a  role:slave\r\n");
    }
}
