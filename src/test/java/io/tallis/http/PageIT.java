package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.http.Browser.Tab;
import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.MulticastGroup;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page of a cluster of three real processes, in a real browser.
///
/// Pictures are written to `target/page`; with `-Dpage=write` to those of the documentation.
final class PageIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> NAMES = List.of("north", "south", "west");
    private static final Path TARGET = Path.of("target/page");
    private static final Path PICTURES =
            "write".equals(System.getProperty("page")) ? Path.of("src/site/markdown/images") : TARGET;

    @TempDir
    static Path dir;

    private static final List<ServerProcess> NODES = new ArrayList<>();
    private static String multicast;
    private static int[] ports;
    private static Browser browser;

    private final List<Tab> tabs = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        multicast = MulticastGroup.fresh().setting();
        ports = ClusterPorts.free(NAMES.size());
        browser = Browser.start(dir.resolve("browser"));
        IntStream.range(0, NAMES.size()).forEach(node -> NODES.add(startNode(node)));
        fill();
    }

    private static ServerProcess startNode(int node) {
        return ServerProcess.start(
                dir.resolve(NAMES.get(node)),
                "--name",
                NAMES.get(node),
                "--http-port",
                String.valueOf(ports[node]),
                "--cluster-name",
                "page",
                "--cluster-port",
                "0",
                "--cluster-multicast",
                multicast);
    }

    /// Counters as a shop might have them.
    private static void fill() {
        Random random = new Random(7);
        List<String> names =
                new ArrayList<>(List.of("errors/404", "errors/500", "jobs/queued", "jobs/running", "signups"));
        List.of("", "blog", "docs", "docs/start", "jobs", "pricing").forEach(page -> names.add("visits/" + page));
        for (String city : List.of("berlin", "lisbon", "oslo")) {
            List.of("bolts", "nuts", "screws", "washers").forEach(part -> names.add("stock/" + city + "/" + part));
        }
        for (int node = 0; node < NODES.size(); node++) {
            for (String name : names) {
                int sign = node == 2 && name.startsWith("stock") ? -1 : 1;
                call(node, "INCRBY", name, String.valueOf(sign * random.nextInt(50, 4000)));
            }
            for (String name : List.of("delete", "get", "list", "put")) {
                call(node, "GCOUNT", "INC", "api/calls/" + name, String.valueOf(random.nextInt(90_000)));
            }
        }
    }

    private static String call(int node, String... words) {
        try (var socket = new RespSocket(NODES.get(node).port())) {
            return socket.call(words);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void stop() {
        NODES.forEach(ServerProcess::close);
        if (browser != null) {
            browser.close();
        }
    }

    /// The page has not made the browser complain, and has loaded nothing from elsewhere.
    @AfterEach
    void assertQuiet() {
        for (Tab tab : tabs) {
            assertThat(tab.complaints()).isEmpty();
            assertThat(tab.requested()).allMatch(url -> url.startsWith("http://127.0.0.1:"));
            tab.close();
        }
    }

    private Tab open(int node, String view) {
        return openAt(ports[node], view);
    }

    private Tab openAt(int port, String view) {
        Tab tab = browser.open().go("http://127.0.0.1:" + port + "/#/" + view);
        tabs.add(tab);
        return tab;
    }

    private static String text(Tab tab, String selector) {
        return tab.eval("document.querySelector(" + quoted(selector) + ")?.innerText.replace(/\\s+/g, ' ') ?? ''");
    }

    private static List<String> texts(Tab tab, String selector) {
        String all = tab.eval(
                "[...document.querySelectorAll(" + quoted(selector) + ")].map((e) => e.innerText).join('\\n')");
        return all.lines().toList();
    }

    private static String quoted(String text) {
        return "`" + text + "`";
    }

    private static void awaitText(Tab tab, String selector, String part) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(text(tab, selector)).contains(part));
    }

    private static void click(Tab tab, String selector) {
        await().atMost(PATIENCE)
                .until(() -> tab.eval("document.querySelector(" + quoted(selector) + ") !== null"), "true"::equals);
        tab.eval("document.querySelector(" + quoted(selector) + ").click()");
    }

    /// Clicks the button with these words.
    private static void clickButton(Tab tab, String words) {
        tab.eval("[...document.querySelectorAll('button')].findLast((b) => b.innerText === " + quoted(words)
                + ").click()");
    }

    private static void enter(Tab tab, String selector, String text) {
        tab.eval("(document.querySelector(" + quoted(selector) + ").focus(), document.activeElement.select())");
        tab.type(text);
    }

    @Test
    void counters_areListedByName_andFoundWithTheKeyboard() {
        Tab tab = open(0, "counters");
        awaitText(tab, ".found", " counters");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(texts(tab, ".row .value")).doesNotContain("…"));
        assertThat(texts(tab, ".row .name")).startsWith("api/calls/delete", "api/calls/get");

        enter(tab, ".tools input", "stock/oslo/");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(texts(tab, ".row .name"))
                        .containsExactly(
                                "stock/oslo/bolts", "stock/oslo/nuts", "stock/oslo/screws", "stock/oslo/washers"));
        tab.press(Browser.Key.DOWN).press(Browser.Key.DOWN).press(Browser.Key.ENTER);

        awaitText(tab, ".counter h2", "stock/oslo/nuts");
        assertThat(tab.eval("document.querySelector('.row[aria-selected=true] .name').innerText"))
                .isEqualTo("stock/oslo/nuts");
        enter(tab, ".tools input", "*/nuts");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(texts(tab, ".row .name"))
                        .containsExactly("stock/berlin/nuts", "stock/lisbon/nuts", "stock/oslo/nuts"));
    }

    @Test
    void increment_isSeenOnAnotherNodesPage_withWhatEachNodeAndSessionCounted() {
        call(1, "INCRBY", "shared", "20");
        Tab south = open(1, "counters/pncount/shared");
        awaitText(south, ".big", "20");
        Tab north = open(0, "counters/pncount/shared");
        awaitText(north, ".big", "20");

        enter(north, ".change input", "1000");
        clickButton(north, "Add");
        awaitText(south, ".big", "1,020");
        enter(north, ".change input", "3");
        clickButton(north, "Subtract");
        awaitText(south, ".big", "1,017");

        awaitText(south, ".counter tbody", "north 997");
        click(south, "summary");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(text(south, "details tbody"))
                        .contains("north 1,000 3 0")
                        .contains("south 20 0 0"));
        clickButton(south, "Set …");
        enter(south, "dialog input", "-5");
        clickButton(south, "Set");
        awaitText(north, ".big", "−5");
        awaitText(north, ".counter tbody", "set to");
        call(0, "DEL", "shared");
    }

    @Test
    void bigNumbers_areExact() {
        call(0, "PNCOUNT", "SET", "big", "9223372036854775806");
        Tab tab = open(0, "counters/pncount/big");
        awaitText(tab, ".big", "9,223,372,036,854,775,806");

        clickButton(tab, "Add");

        awaitText(tab, ".big", "9,223,372,036,854,775,807");
        clickButton(tab, "Add");
        awaitText(tab, ".error", "overflow");
        call(0, "DEL", "big");
    }

    @Test
    void counter_isCreated_andDeletedAfterAQuestion() {
        Tab tab = open(0, "counters");
        awaitText(tab, ".found", " counters");
        clickButton(tab, "New");
        enter(tab, "dialog input[name=name]", "new/<b>counter</b>");
        enter(tab, "dialog input[name=change]", "7");
        clickButton(tab, "Create");
        awaitText(tab, ".counter h2", "new/<b>counter</b>");
        awaitText(tab, ".big", "7");
        clickButton(tab, "New");
        enter(tab, "dialog input[name=name]", "new/<b>counter</b>");
        clickButton(tab, "Create");
        awaitText(tab, "dialog", "new/<b>counter</b> exists Its value is 7. Add 1 to it?");
        clickButton(tab, "Cancel");

        clickButton(tab, "Delete …");
        clickButton(tab, "Cancel");
        assertThat(call(0, "GET", "new/<b>counter</b>")).isEqualTo("7");
        clickButton(tab, "Delete …");
        awaitText(tab, "dialog", "Its value is 7.");
        clickButton(tab, "Delete");

        awaitText(tab, ".big", "Deleted");
        assertThat(call(0, "EXISTS", "new/<b>counter</b>")).isEqualTo("0");
    }

    @Test
    void killedNode_isShown_andComesBack() {
        Tab tab = open(0, "cluster");
        awaitText(tab, ".head", "3 of 3 nodes ready, as north sees it");
        assertThat(tab.eval("document.querySelector('.nodes li:nth-child(2) a').href"))
                .isEqualTo("http://127.0.0.1:" + ports[1] + "/");

        NODES.get(2).kill();
        awaitText(tab, ".nodes li:last-child", "unreachable");
        clickButton(tab, "Forget …");
        awaitText(tab, "dialog", "Forget west?");
        tab.press(Browser.Key.ESCAPE);
        NODES.set(2, startNode(2));

        awaitText(tab, ".head", "3 of 3 nodes ready");
        awaitText(tab, ".nodes li:last-child", "Starts 2");
        assertThat(texts(tab, ".events li").toString()).contains("reaches west");
    }

    @Test
    void page_ofANodeThatDies_saysSo() {
        int port = freePort();
        Tab tab;
        try (LocalServer _ = LocalServer.inMemory("name", "lone", "http-port", String.valueOf(port))) {
            tab = openAt(port, "server");
            awaitText(tab, ".node", "lone");
        }

        awaitText(tab, ".banner", "The node does not answer.");
    }

    @Test
    void nodeThatRefusesChanges_isNotGreen() {
        Tab tab = open(0, "cluster");
        awaitText(tab, ".head", "3 of 3 nodes ready");

        stubFetch(tab, """
                path === '/health'
                  ? new Response('{"state":"read-only","error":"MISCONF The disk is full"}', { status: 503 })
                  : fetched(path, options)""");

        awaitText(tab, ".banner", "The disk is full.");
        awaitText(tab, ".node", "north · read-only");
        awaitText(tab, ".card.self .state", "read-only");
        awaitText(tab, ".head", "2 of 3 nodes ready");
        assertThat(tab.eval("document.querySelector('.node').className")).isEqualTo("node bad");
    }

    @Test
    void frozenNode_isShownAsOneThatDoesNotAnswer() {
        Tab tab = open(0, "cluster");
        awaitText(tab, ".head", "3 of 3 nodes ready");

        stubFetch(
                tab,
                "new Promise((_, fail) =>"
                        + " options.signal?.addEventListener('abort', () => fail(options.signal.reason)))");

        awaitText(tab, ".banner", "The node does not answer.");
        awaitText(tab, ".node", "north · no answer");
        awaitText(tab, ".head", "as north saw it at");
        assertThat(tab.eval("getComputedStyle(document.querySelector('main')).filter"))
                .contains("grayscale(1)");
    }

    /// Answers the page's requests with this expression of `path`, `options` and the true `fetched`.
    private static void stubFetch(Tab tab, String answer) {
        tab.eval("(window.fetched = fetch, window.fetch = async (path, options) => " + answer + ", 'stubbed')");
    }

    private static int freePort() {
        try {
            return ClusterPorts.free();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void password_isAskedForAndForgotten() {
        int port = freePort();
        try (LocalServer _ = LocalServer.inMemory("requirepass", "pässword", "http-port", String.valueOf(port))) {
            Tab tab = openAt(port, "server");
            awaitText(tab, "dialog", "This node has a password");
            enter(tab, "dialog input[type=password]", "wrong");
            tab.press(Browser.Key.ENTER);
            awaitText(tab, "dialog", "That was not the password.");
            enter(tab, "dialog input[type=password]", "pässword");
            tab.press(Browser.Key.ENTER);
            awaitText(tab, ".tiles", "Counters 0");
            awaitText(tab, ".settings", "requirepass");

            tab.eval("location.reload()");

            awaitText(tab, "dialog", "This node has a password");
        }
    }

    @Test
    void narrowScreen_hasNothingBeside() {
        for (String view : List.of("counters", "counters/pncount/stock%2Foslo%2Fnuts", "cluster", "server")) {
            Tab tab = open(0, view).resize(360, 740);
            awaitText(tab, ".node", "north");
            awaitText(tab, "main", "n");

            assertThat(tab.eval("document.documentElement.scrollWidth"))
                    .as(view)
                    .isEqualTo("360");
            assertThat(tab.eval("document.querySelector('main').scrollWidth"))
                    .as(view)
                    .isEqualTo("360");
        }
        Tab tab = tabs.get(1);
        awaitText(tab, ".counter", "west");
        tab.scheme("dark").screenshot(TARGET.resolve("page-narrow.png"));
        click(tab, ".back");
        awaitText(tab, ".found", " counters");
    }

    @Test
    void darkScheme_hasTextThatCanBeRead() {
        Tab tab = open(0, "server").scheme("dark");
        awaitText(tab, ".tiles", "Counters");

        assertThat(tab.eval("getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(17, 20, 24)");
        for (String scheme : List.of("dark", "light")) {
            tab.scheme(scheme);
            assertThat(tab.eval(LOWEST_CONTRAST))
                    .as(scheme)
                    .satisfies(lowest -> assertThat(Double.parseDouble(lowest)).isGreaterThan(4.5));
        }
    }

    /// The lowest contrast of soft text, which is the palest, with the grounds it stands on.
    private static final String LOWEST_CONTRAST = """
            (() => {
              const probe = document.body.appendChild(document.createElement('p'));
              const light = (name) => {
                probe.style.color = `var(--${name})`;
                const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
                  .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
                return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
              };
              const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              const pairs = ['ground', 'surface'].flatMap((ground) =>
                ['text', 'soft', 'accent', 'danger', 'good', 'busy'].map((text) => contrast(light(text), light(ground))));
              pairs.push(contrast(light('on-accent'), light('accent')));
              probe.remove();
              return Math.min(...pairs);
            })()""";

    @Test
    void elements_haveNamesForScreenReaders() {
        for (String view : List.of("counters/pncount/signups", "cluster", "server")) {
            Tab tab = open(0, view);
            awaitText(tab, ".node", "north");
            awaitText(tab, "main", "n");

            assertThat(tab.unnamed()).as(view).isEmpty();
        }
    }

    @Test
    void manyCounters_stayQuick() {
        int port = freePort();
        try (LocalServer server = LocalServer.inMemory("name", "many", "http-port", String.valueOf(port));
                var socket = new RespSocket(server.port())) {
            for (int from = 0; from < 100_000; from += 10_000) {
                List<String> words = new ArrayList<>(List.of("PNCOUNT", "MINC"));
                for (int i = from; i < from + 10_000; i++) {
                    words.addAll(List.of(String.format("key/%06d", i), "1"));
                }
                assertThat(socket.call(words.toArray(String[]::new))).isEqualTo("OK");
            }
            Tab tab = openAt(port, "counters");
            awaitText(tab, ".found", "100,000");
            assertThat(Integer.parseInt(tab.eval("document.querySelectorAll('.row').length")))
                    .isLessThan(60);

            enter(tab, ".tools input", "key/09999");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(text(tab, ".found")).isEqualTo("10 counters"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void pictures() {
        Tab counters = open(0, "counters/pncount/visits%2Fdocs");
        Tab cluster = open(0, "cluster");
        Tab server = open(0, "server");
        awaitText(counters, ".big", ",");
        Random random = new Random(3);
        for (int i = 0; i < 150; i++) {
            String page = List.of("", "blog", "docs", "docs/start", "pricing").get(random.nextInt(5));
            call(random.nextInt(NODES.size()), "INCRBY", "visits/" + page, String.valueOf(random.nextInt(1, 40)));
            call(random.nextInt(NODES.size()), "INCRBY", "jobs/queued", String.valueOf(random.nextInt(-3, 4)));
            counters.eval("new Promise((resolve) => setTimeout(resolve, 100))");
        }

        awaitText(cluster, ".head", "3 of 3 nodes ready");
        awaitText(server, ".tiles", "Counters");
        counters.screenshot(PICTURES.resolve("page-counters.png"));
        cluster.screenshot(PICTURES.resolve("page-cluster.png"));
        server.screenshot(PICTURES.resolve("page-server.png"));
    }
}
