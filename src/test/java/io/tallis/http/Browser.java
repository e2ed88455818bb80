package io.tallis.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// A Chromium without a window, driven through its DevTools protocol: JSON over a web socket. Each [Tab] keeps what the
/// browser complains about, such as errors of scripts and violations of the page's policy.
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome");
    private static final Set<String> NAMED = Set.of(
            "button",
            "link",
            "textbox",
            "searchbox",
            "combobox",
            "checkbox",
            "listbox",
            "option",
            "region",
            "meter",
            "progressbar",
            "dialog",
            "table",
            "log",
            "image");
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final String LISTENING = "DevTools listening on ";

    enum Key {
        ENTER("Enter", 13),
        ESCAPE("Escape", 27),
        DOWN("ArrowDown", 40);

        private final String name;
        private final int code;

        Key(String name, int code) {
            this.name = name;
            this.code = code;
        }
    }

    private final Process process;
    private final Path profile;
    private final URI address;
    private final HttpClient client = HttpClient.newHttpClient();

    private Browser(Process process, Path profile, URI address) {
        this.process = process;
        this.profile = profile;
        this.address = address;
    }

    /// Starts a browser that keeps its files in this directory.
    static Browser start(Path profile) throws IOException {
        // Without a sandbox, since Chromium has none for root, which CI is. The only pages are our own.
        Process process = new ProcessBuilder(
                        program(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--no-first-run",
                        "--no-default-browser-check",
                        "--hide-scrollbars",
                        "--force-color-profile=srgb",
                        "--lang=en-GB",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            said.append(line).append('\n');
            if (line.startsWith(LISTENING)) {
                Thread.ofVirtual().start(() -> output.lines().forEach(_ -> {}));
                return new Browser(process, profile, URI.create(line.substring(LISTENING.length())));
            }
        }
        throw new IllegalStateException("Chromium did not start: " + said);
    }

    private static String program() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(dir -> PROGRAMS.stream().map(name -> Path.of(dir, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "The tests of the page need the browser Chromium: apt-get install chromium"))
                .toString();
    }

    /// Opens a tab that shows nothing yet. Tabs share no passwords, cookies or caches.
    Tab open() {
        Tab browser = connect(address);
        var context = browser.call("Target.createBrowserContext", Map.of()).get("browserContextId");
        var target = browser.call("Target.createTarget", Map.of("url", "about:blank", "browserContextId", context))
                .get("targetId");
        Tab tab = connect(address.resolve("/devtools/page/" + target));
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            tab.call(domain + ".enable", Map.of());
        }
        tab.resize(1280, 800);
        return tab;
    }

    private Tab connect(URI uri) {
        Tab tab = new Tab();
        tab.socket = client.newWebSocketBuilder().buildAsync(uri, tab).join();
        return tab;
    }

    private static Object parsed(String json) {
        try (JsonParser in = FACTORY.createParser(json)) {
            in.nextToken();
            return value(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object value(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> all = new LinkedHashMap<>();
                while (in.nextToken() != JsonToken.END_OBJECT) {
                    String name = in.currentName();
                    in.nextToken();
                    all.put(name, value(in));
                }
                yield all;
            }
            case START_ARRAY -> {
                List<Object> all = new ArrayList<>();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    all.add(value(in));
                }
                yield all;
            }
            case VALUE_NUMBER_INT -> in.getLongValue();
            case VALUE_NULL -> null;
            default -> in.getText();
        };
    }

    private static void write(Object value, JsonGenerator out) throws IOException {
        switch (value) {
            case Map<?, ?> all -> {
                out.writeStartObject();
                for (Map.Entry<?, ?> entry : all.entrySet()) {
                    out.writeFieldName(String.valueOf(entry.getKey()));
                    write(entry.getValue(), out);
                }
                out.writeEndObject();
            }
            case List<?> all -> {
                out.writeStartArray();
                for (Object element : all) {
                    write(element, out);
                }
                out.writeEndArray();
            }
            case Integer number -> out.writeNumber(number);
            case Boolean flag -> out.writeBoolean(flag);
            default -> out.writeString(String.valueOf(value));
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
        try {
            // Links to places outside the directory, which a test does not delete with it.
            for (String name : List.of("SingletonCookie", "SingletonLock", "SingletonSocket")) {
                Files.deleteIfExists(profile.resolve(name));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A tab, and one connection to it.
    static final class Tab implements WebSocket.Listener {
        private final AtomicInteger lastId = new AtomicInteger();
        private final Map<Integer, CompletableFuture<Map<?, ?>>> calls = new ConcurrentHashMap<>();
        private final List<String> complaints = new CopyOnWriteArrayList<>();
        private final List<String> requested = new CopyOnWriteArrayList<>();
        private final StringBuilder message = new StringBuilder();
        private WebSocket socket;

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean isLast) {
            message.append(text);
            if (isLast) {
                take((Map<?, ?>) parsed(message.toString()));
                message.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void take(Map<?, ?> told) {
            if (told.get("id") instanceof Number id) {
                calls.remove(id.intValue()).complete(told);
                return;
            }
            Map<?, ?> about = (Map<?, ?>) told.get("params");
            switch ((String) told.get("method")) {
                case "Runtime.exceptionThrown" -> complaints.add(about.toString());
                case "Log.entryAdded" -> {
                    Map<?, ?> entry = (Map<?, ?>) about.get("entry");
                    // Of a response that is an error, which the page handles.
                    if (!"network".equals(entry.get("source"))) {
                        complaints.add(entry.toString());
                    }
                }
                case "Network.requestWillBeSent" ->
                    requested.add((String) ((Map<?, ?>) about.get("request")).get("url"));
                default -> {}
            }
        }

        /// Calls a method of the protocol with these parameters.
        Map<?, ?> call(String method, Map<String, ?> parameters) {
            int id = lastId.incrementAndGet();
            CompletableFuture<Map<?, ?>> answer = new CompletableFuture<>();
            calls.put(id, answer);
            byte[] call = Json.written(out -> write(Map.of("id", id, "method", method, "params", parameters), out));
            socket.sendText(new String(call, StandardCharsets.UTF_8), true).join();
            try {
                Map<?, ?> told = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (told.get("error") != null) {
                    throw new IllegalStateException(method + ": " + told.get("error"));
                }
                return (Map<?, ?>) told.get("result");
            } catch (ExecutionException | TimeoutException | InterruptedException e) {
                throw new IllegalStateException(method, e);
            }
        }

        Tab go(String url) {
            call("Page.navigate", Map.of("url", url));
            return this;
        }

        Tab resize(int width, int height) {
            call(
                    "Emulation.setDeviceMetricsOverride",
                    Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
            return this;
        }

        /// Has the page see a person who wants dark colours, or light ones.
        Tab scheme(String colours) {
            call(
                    "Emulation.setEmulatedMedia",
                    Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
            return this;
        }

        /// The value of an expression of JavaScript, as text; promises are awaited.
        String eval(String expression) {
            Map<?, ?> answer = call(
                    "Runtime.evaluate",
                    Map.of(
                            "expression",
                            "Promise.resolve(" + expression + ").then(String)",
                            "awaitPromise",
                            true,
                            "userGesture",
                            true));
            if (answer.get("exceptionDetails") != null) {
                throw new IllegalStateException(expression + ": " + answer.get("exceptionDetails"));
            }
            return (String) ((Map<?, ?>) answer.get("result")).get("value");
        }

        /// Types text into the element that has the focus.
        Tab type(String text) {
            call("Input.insertText", Map.of("text", text));
            return this;
        }

        Tab press(Key key) {
            Map<String, Object> event = new LinkedHashMap<>(
                    Map.of("type", "keyDown", "key", key.name, "code", key.name, "windowsVirtualKeyCode", key.code));
            if (key == Key.ENTER) {
                event.put("text", "\r");
            }
            call("Input.dispatchKeyEvent", event);
            event.remove("text");
            event.put("type", "keyUp");
            call("Input.dispatchKeyEvent", event);
            return this;
        }

        /// What the browser has complained about since the last call.
        List<String> complaints() {
            List<String> all = List.copyOf(complaints);
            complaints.clear();
            return all;
        }

        /// The URLs that were loaded.
        List<String> requested() {
            return List.copyOf(requested);
        }

        /// The roles of elements that a person can use and that a screen reader has no name for.
        List<String> unnamed() {
            List<?> nodes =
                    (List<?>) call("Accessibility.getFullAXTree", Map.of()).get("nodes");
            return nodes.stream()
                    .map(node -> (Map<?, ?>) node)
                    .filter(node -> !Boolean.parseBoolean(String.valueOf(node.get("ignored"))))
                    .filter(node -> NAMED.contains(value(node, "role"))
                            && value(node, "name").isBlank())
                    .map(Map::toString)
                    .toList();
        }

        private static String value(Map<?, ?> node, String property) {
            return node.get(property) instanceof Map<?, ?> map ? String.valueOf(map.get("value")) : "";
        }

        void close() {
            call("Page.close", Map.of());
            socket.abort();
        }

        void screenshot(Path file) {
            String png = (String)
                    call("Page.captureScreenshot", Map.of("format", "png")).get("data");
            try {
                Files.createDirectories(file.getParent());
                Files.write(file, Base64.getDecoder().decode(png));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
