package io.tallis.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a request is about: the segments of the path and the parameters of the query, with their percent-encodings
/// decoded to any bytes, `/` and NUL included.
///
/// All strings have a byte in each character (ISO 8859-1); [#bytes] returns them.
///
/// The path is cut at `/` before it is decoded. An encoded `/` (`%2F`) is part of a segment.
///
/// `path` is for comparing with that of an endpoint: a `/` in a segment stays encoded there.
record Target(String path, List<String> segments, List<Parameter> parameters) {
    private static final String SCHEME = "http://";

    /// `name=value`, or `name` alone, whose value is null.
    record Parameter(String name, @Nullable String value) {}

    /// The target of a request line: `/path?query`, perhaps behind `http://host`.
    static Target of(String uri) {
        String local = uri.regionMatches(true, 0, SCHEME, 0, SCHEME.length()) ? withoutHost(uri) : uri;
        if (!local.startsWith("/")) {
            throw HttpRefusal.badRequest("ERR the path does not begin with /");
        }
        requireEncoded(local);
        int question = local.indexOf('?');
        String path = question < 0 ? local : local.substring(0, question);
        List<String> segments = segments(path);
        List<Parameter> parameters = question < 0 ? List.of() : parameters(local.substring(question + 1));
        return new Target(path.indexOf('%') < 0 ? path : joined(segments), segments, parameters);
    }

    private static void requireEncoded(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7f) {
                throw HttpRefusal.badRequest("ERR the URL has a byte that must be percent-encoded");
            }
        }
    }

    private static String withoutHost(String uri) {
        int slash = uri.indexOf('/', SCHEME.length());
        return slash < 0 ? "/" : uri.substring(slash);
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            segments.add(decoded(segment, false));
        }
        return segments;
    }

    private static String joined(List<String> segments) {
        StringBuilder path = new StringBuilder();
        segments.forEach(segment -> path.append('/').append(segment.replace("/", "%2F")));
        return path.toString();
    }

    private static List<Parameter> parameters(String query) {
        List<Parameter> parameters = new ArrayList<>();
        for (String part : query.split("&", -1)) {
            if (!part.isEmpty()) {
                int equals = part.indexOf('=');
                String name = decoded(equals < 0 ? part : part.substring(0, equals), true);
                parameters.add(new Parameter(name, equals < 0 ? null : decoded(part.substring(equals + 1), true)));
            }
        }
        return parameters;
    }

    /// `plusIsSpace` in a query, as forms encode it.
    private static String decoded(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0 && !(plusIsSpace && text.indexOf('+') >= 0)) {
            return text;
        }
        StringBuilder bytes = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes.append(octet(text, i + 1));
                i += 2;
            } else {
                bytes.append(c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        return bytes.toString();
    }

    private static char octet(String text, int at) {
        int high = at + 1 < text.length() ? Character.digit(text.charAt(at), 16) : -1;
        int low = high < 0 ? -1 : Character.digit(text.charAt(at + 1), 16);
        if (low < 0) {
            throw HttpRefusal.badRequest("ERR the URL has a % without two hexadecimal digits behind it");
        }
        return (char) (high << 4 | low);
    }

    /// The value of the last parameter of that name; null if there is none.
    @Nullable
    String parameter(String name) {
        String value = null;
        for (Parameter parameter : parameters) {
            if (parameter.value != null && parameter.name.equals(name)) {
                value = parameter.value;
            }
        }
        return value;
    }

    /// The bytes of a segment, name or value.
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
