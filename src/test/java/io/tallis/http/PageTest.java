package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

final class PageTest {
    private static final Path SOURCES = Path.of("src/main/resources/io/tallis/http/page");
    private static final int MOST_BYTES = 128 << 10;

    private final Page page = Page.load();
    private final HttpHeaders headers = new DefaultHttpHeaders();

    private Response get(String path) {
        Request request =
                new Request(HttpMethod.GET, Target.of(path), headers, Unpooled.EMPTY_BUFFER, Caller.NOBODY, false);
        return page.file(request).rendering().of(new ReplyReader(Unpooled.EMPTY_BUFFER, false));
    }

    private static String text(Response response) {
        return response.body().toString(StandardCharsets.UTF_8);
    }

    @Test
    void root_isTheDocument() {
        Response response = get("/");

        assertThat(response.status().code()).isEqualTo(200);
        assertThat(text(response)).startsWith("<!doctype html>");
        HttpHeaders sent = response.headers();
        assertThat(response.type()).isEqualTo("text/html; charset=utf-8");
        assertThat(sent.get(HttpHeaderNames.CACHE_CONTROL)).isEqualTo("no-cache");
        assertThat(sent.get(HttpHeaderNames.CONTENT_SECURITY_POLICY))
                .startsWith("default-src 'none'; script-src 'self';")
                .contains("frame-ancestors 'none'")
                .doesNotContain("unsafe");
    }

    @Test
    void file_forAClientThatTakesGzip_isCompressed() throws IOException {
        String plain = text(get("/page/main.js"));
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, "deflate, gzip, br");

        Response response = get("/page/main.js");

        assertThat(response.headers().get(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
        byte[] zipped = new byte[response.body().readableBytes()];
        response.body().readBytes(zipped);
        try (var in = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(plain);
        }
    }

    @Test
    void file_thatTheBrowserHas_isNotSentAgain() {
        String tag = get("/page/style.css").headers().get(HttpHeaderNames.ETAG);
        headers.set(HttpHeaderNames.IF_NONE_MATCH, tag);

        assertThat(get("/page/style.css").status().code()).isEqualTo(304);
        assertThat(get("/page/style.css").body().readableBytes()).isZero();
        assertThat(get("/page/main.js").status().code()).isEqualTo(200);
    }

    @Test
    void unknownFile_isNotFound() {
        for (String path : Set.of("/page/", "/page/index.html", "/page/Page.class", "/page/../Page.class")) {
            assertThatThrownBy(() -> get(path))
                    .isInstanceOfSatisfying(
                            HttpRefusal.class,
                            refusal -> assertThat(refusal.response().status().code())
                                    .isEqualTo(404));
        }
    }

    @Test
    void otherMethods_areRefused() {
        Request request = new Request(
                HttpMethod.DELETE,
                Target.of("/page/main.js"),
                headers,
                Unpooled.EMPTY_BUFFER,
                new Caller(Rights.CHANGE, null, true),
                false);

        assertThatThrownBy(() -> page.file(request)).isInstanceOf(HttpRefusal.class);
        assertThat(Page.isAskedFor(HttpMethod.POST, "/")).isFalse();
        assertThat(Page.isAskedFor(HttpMethod.GET, "/get/page")).isFalse();
    }

    @Test
    void files_needNoPasswordButAHostOfTheirOwn() {
        HttpLimits open = new HttpLimits(new OnePassword(""), true, Set.of(), 1000, 1000);
        HttpLimits closed = new HttpLimits(new OnePassword("secret"), true, Set.of(), 1000, 1000);

        assertThat(head("/", "localhost:8379", open).caller().rights()).isEqualTo(Rights.NONE);
        assertThat(head("/page/main.js", "counters.example", closed).caller().rights())
                .isEqualTo(Rights.NONE);
        assertThatThrownBy(() -> head("/page/main.js", "counters.example", open))
                .isInstanceOf(HttpRefusal.class);
        assertThatThrownBy(() -> head("/get/page", "localhost", closed)).isInstanceOf(HttpRefusal.class);
    }

    private static RequestHead head(String path, String host, HttpLimits limits) {
        DefaultHttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
        request.headers().set(HttpHeaderNames.HOST, host);
        return RequestHead.of(request, limits);
    }

    @Test
    void files_areAllServedAndSmall() throws IOException {
        Set<String> imported = new TreeSet<>(Set.of("index.html", "style.css", "icon.svg", "main.js"));
        Set<String> present = new TreeSet<>();
        long bytes = 0;
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                present.add(file.getFileName().toString());
                bytes += Files.size(file);
                Pattern.compile("from '\\./([a-z]+\\.js)'")
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(result -> imported.add(result.group(1)));
            }
        }

        assertThat(present).isEqualTo(imported);
        assertThat(bytes).isLessThan(MOST_BYTES);
        present.remove("index.html");
        present.forEach(
                name -> assertThat(get("/page/" + name).body().readableBytes()).isPositive());
    }
}
