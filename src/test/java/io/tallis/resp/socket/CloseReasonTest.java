package io.tallis.resp.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLProtocolException;
import org.junit.jupiter.api.Test;

final class CloseReasonTest {
    @Test
    void rejectedCertificate_isNamedWithTheAlert() {
        var told = new SSLHandshakeException("(unknown_ca) Received fatal alert: unknown_ca");

        assertThat(CloseReason.of(new DecoderException(told)))
                .isEqualTo("the client rejects this server's certificate (alert unknown_ca)");
    }

    @Test
    void unexpectedAlert_isNamedToo() {
        var wrapped = new SSLProtocolException("Unexpected exception");
        wrapped.initCause(new GeneralSecurityException(
                "Unexpected plaintext alert received: Level: fatal; Alert: certificate_expired"));

        assertThat(CloseReason.of(new DecoderException(wrapped)))
                .isEqualTo("the client rejects this server's certificate (alert certificate_expired)");
    }

    @Test
    void alertAboutSomethingElse_doesNotBlameTheCertificate() {
        var told = new SSLHandshakeException("Received fatal alert: protocol_version");

        assertThat(CloseReason.of(new DecoderException(told)))
                .isEqualTo("the client ended the TLS session (alert protocol_version)");
    }

    @Test
    void plainTextAtTheTlsPort_isNotRepeated() {
        var secret = new NotSslRecordException("not an SSL/TLS record: 415554482073656372657420");

        assertThat(CloseReason.of(new DecoderException(secret))).isEqualTo("the client does not use TLS");
    }

    @Test
    void closedConnection_isDescribed() {
        assertThat(CloseReason.of(new ClosedChannelException())).isEqualTo("the client closed the connection");
    }

    @Test
    void otherFailure_keepsItsMessage() {
        assertThat(CloseReason.of(new IOException("Connection reset by peer"))).isEqualTo("Connection reset by peer");
        assertThat(CloseReason.of(new DecoderException("too long"))).isEqualTo("too long");
        assertThat(CloseReason.of(new IOException())).isEqualTo("java.io.IOException");
    }
}
