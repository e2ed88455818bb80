package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.http.Target.Parameter;
import org.junit.jupiter.api.Test;

final class TargetTest {
    @Test
    void segments_withEncodedBytes_areCutBeforeTheyAreDecoded() {
        Target target = Target.of("/incr/users%2F1%2fvisits/a%00b%ff/x+y");

        assertThat(target.segments()).containsExactly("incr", "users/1/visits", "a\0b\u00ff", "x+y");
        assertThat(target.path()).isEqualTo("/incr/users%2F1%2Fvisits/a\0b\u00ff/x+y");
    }

    @Test
    void segments_withoutBytes_areKept() {
        assertThat(Target.of("/get//").segments()).containsExactly("get", "", "");
        assertThat(Target.of("/").segments()).containsExactly("");
    }

    @Test
    void parameters_withAndWithoutValues_areTold() {
        Target target = Target.of("/x?id=a%26b&users/1/visits&empty=&two+words=c%2Bd+e&&");

        assertThat(target.parameters())
                .containsExactly(
                        new Parameter("id", "a&b"),
                        new Parameter("users/1/visits", null),
                        new Parameter("empty", ""),
                        new Parameter("two words", "c+d e"));
    }

    @Test
    void parameter_givenTwice_isTheLast() {
        assertThat(Target.of("/x?type=a&type=b").parameter("type")).isEqualTo("b");
        assertThat(Target.of("/x?type").parameter("type")).isNull();
    }

    @Test
    void uri_withAHost_isItsPath() {
        assertThat(Target.of("HTTP://a.example:80/get/b?c").path()).isEqualTo("/get/b");
        assertThat(Target.of("http://a.example").path()).isEqualTo("/");
    }

    @Test
    void uri_thatIsMalformed_isRefused() {
        for (String uri :
                new String[] {"*", "", "get/a", "/%", "/%0", "/%zz", "/%0g", "/\u00e9", "/a b", "/a?\u007f"}) {
            assertThatThrownBy(() -> Target.of(uri)).as(uri).isInstanceOf(HttpRefusal.class);
        }
    }
}
