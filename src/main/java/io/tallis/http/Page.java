package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tallis.runtime.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/// The page for people: what a browser loads from `/` and `/page/`. The files hold no data, so they need no password;
/// what they show comes from the other paths of this server.
///
/// Browsers keep the files and ask whether they have changed each time. A new version of the server is thereby seen at
/// the next load, all files of it.
final class Page {
    private static final String ROOT = "/";
    private static final String FILES = "/page/";
    private static final String INDEX = "index.html";

    private static final List<String> NAMES = List.of(
            INDEX,
            "style.css",
            "icon.svg",
            "main.js",
            "api.js",
            "dom.js",
            "format.js",
            "parse.js",
            "plot.js",
            "pulse.js",
            "live.js",
            "list.js",
            "shares.js",
            "counters.js",
            "counter.js",
            "cluster.js",
            "server.js",
            "tallis.conf");

    /// Nothing is loaded from elsewhere or sent there, no script or style is within the document, no other site shows
    /// the page in a frame, and no text becomes HTML.
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private final Map<String, File> files;

    private record File(String type, String tag, ByteBuf plain, ByteBuf zipped) {}

    private Page(Map<String, File> files) {
        this.files = files;
    }

    /// Reads and compresses the files, which takes some milliseconds.
    static Page load() {
        Map<String, File> files = new HashMap<>();
        for (String name : NAMES) {
            byte[] bytes = read(name);
            String hash = HexFormat.of().formatHex(Sha256.of(bytes), 0, 8);
            files.put(FILES + name, new File(type(name), "W/\"" + hash + '"', kept(bytes), kept(zipped(bytes))));
        }
        files.put(ROOT, files.remove(FILES + INDEX));
        return new Page(files);
    }

    private static byte[] read(String name) {
        try (InputStream in = Page.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks the file " + name + " of its page");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] zipped(byte[] bytes) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return zipped.toByteArray();
    }

    /// A buffer for any number of responses: sending it does not end it.
    private static ByteBuf kept(byte[] bytes) {
        return Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes));
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".html" -> "text/html; charset=utf-8";
            case ".css" -> "text/css; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> "text/plain; charset=utf-8";
        };
    }

    /// Whether a request is for a file of the page, existing or not. `POST /` is a command.
    static boolean isAskedFor(HttpMethod method, String path) {
        boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
        return path.startsWith(FILES) || (reads && path.equals(ROOT));
    }

    Work file(Request request) {
        File file = files.get(request.target().path());
        if (file == null) {
            throw new HttpRefusal(HttpResponseStatus.NOT_FOUND, "ERR the page has no such file");
        }
        request.requireMethod(HttpMethod.GET, HttpMethod.HEAD);
        boolean isKnown = request.headers().containsValue(HttpHeaderNames.IF_NONE_MATCH, file.tag, false);
        boolean zips = request.headers().containsValue(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.GZIP, true);
        HttpHeaders headers = new DefaultHttpHeaders()
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE)
                .set(HttpHeaderNames.ETAG, file.tag)
                .set(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING)
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
                .set("referrer-policy", "no-referrer");
        if (isKnown) {
            return answered(HttpResponseStatus.NOT_MODIFIED, file.type, Unpooled.EMPTY_BUFFER, headers);
        }
        if (zips) {
            headers.set(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.GZIP);
        }
        return answered(HttpResponseStatus.OK, file.type, (zips ? file.zipped : file.plain).duplicate(), headers);
    }

    private static Work answered(HttpResponseStatus status, String type, ByteBuf body, HttpHeaders headers) {
        return Work.answered(new Response(status, type, body, headers, false, null));
    }
}
