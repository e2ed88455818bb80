package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CertificateNameTest {
    @Test
    void name_isTheFirstCommonNameOfTheSubject() {
        assertThat(CertificateName.of("CN=web,OU=a,O=b")).isEqualTo("web");
        assertThat(CertificateName.of("CN=second,CN=first,O=b")).isEqualTo("first");
        assertThat(CertificateName.of("CN=a\\,b\\=c")).isEqualTo("a,b=c");
    }

    @Test
    void subject_withoutACommonName_hasNone() {
        assertThat(CertificateName.of("O=CN=web")).isNull();
        assertThat(CertificateName.of("")).isNull();
        assertThat(CertificateName.of("1.2.3=#04024869")).isNull();
        assertThat(CertificateName.of("nonsense")).isNull();
    }
}
