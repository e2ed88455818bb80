package io.tallis.config;

import static io.tallis.config.Setting.Change.AT_START;
import static io.tallis.config.Setting.Change.LIVE;

import io.tallis.config.SettingTypes.Bytes;
import io.tallis.config.SettingTypes.Filled;
import io.tallis.config.SettingTypes.OneOf;
import io.tallis.config.SettingTypes.Text;
import io.tallis.config.SettingTypes.Whole;
import io.tallis.config.SettingTypes.Words;
import io.tallis.config.SettingTypes.YesNo;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The catalogue of all settings, in the order of `conf/tallis.conf`. Names and defaults are those of Redis
/// wherever Redis has the setting and a counter server wants the same.
public final class Settings {
    private static final int KB = 1 << 10;
    private static final int MB = 1 << 20;
    private static final long MANY = Integer.MAX_VALUE;
    private static final List<Group> GROUPS = new ArrayList<>();
    private static final Map<String, Setting<?>> BY_NAME = new LinkedHashMap<>();

    // Network

    public static final Setting<List<String>> BIND = group("Network")
            .add(
                    "bind",
                    new Words("address"),
                    "127.0.0.1 -::1",
                    AT_START,
                    "Addresses to listen on; one with a minus in front may be missing on this machine, * is all of them.");
    public static final Setting<Boolean> PROTECTED_MODE = live(
            "protected-mode",
            new YesNo(),
            "yes",
            "Take clients over the loopback address only, whatever bind says, while no password is set.");
    public static final Setting<Long> PORT = fixed(
            "port", new Whole(0, 65535), "6379", "Port for clients; 0 takes any free one, or none beside tls-port.");
    public static final Setting<Long> TCP_BACKLOG = fixed(
            "tcp-backlog",
            new Whole(1, 65535),
            "511",
            "Connections that wait to be accepted; the kernel may allow fewer.");
    public static final Setting<Long> TIMEOUT =
            live("timeout", new Whole(0, MANY), "0", "Seconds after which an idle client is closed; 0 is never.");
    public static final Setting<Long> TCP_KEEPALIVE = live(
            "tcp-keepalive",
            new Whole(0, MANY),
            "300",
            "Seconds between probes of silent connections, for new ones; 0 is off.");
    public static final Setting<String> TRANSPORT = fixed(
            "transport",
            new OneOf("auto", "io_uring", "epoll", "nio"),
            "auto",
            "How to talk to the kernel; auto takes the first that works here.");
    public static final Setting<Long> IO_THREADS =
            fixed("io-threads", new Whole(0, 128), "0", "Threads that serve clients; 0 is one for every two cores.");

    // TLS

    public static final Setting<Long> TLS_PORT = group("TLS")
            .add("tls-port", new Whole(0, 65535), "0", AT_START, "Port for clients that speak TLS; 0 is none.");
    public static final Setting<String> TLS_CERT_FILE =
            fixed("tls-cert-file", new Text("file"), "", "Certificate of this server, with its chain, in PEM form.");
    public static final Setting<String> TLS_KEY_FILE =
            fixed("tls-key-file", new Text("file"), "", "Private key of that certificate, in PEM form (PKCS#8).");
    public static final Setting<String> TLS_CA_CERT_FILE = fixed(
            "tls-ca-cert-file", new Text("file"), "", "Certificates of those who may vouch for clients, in PEM form.");
    public static final Setting<Boolean> TLS_AUTH_CLIENTS = fixed(
            "tls-auth-clients",
            new YesNo(),
            "yes",
            "Ask TLS clients for a certificate and refuse those without a good one.");

    // Clients

    public static final Setting<String> REQUIREPASS = group("Clients")
            .add("requirepass", new Text("password"), "", LIVE, "Password that clients must give; empty is none.");
    public static final Setting<Long> MAXCLIENTS =
            live("maxclients", new Whole(1, MANY), "10000", "Connections at the same time; more are refused.");
    public static final Setting<Long> PROTO_MAX_BULK_LEN = live(
            "proto-max-bulk-len",
            new Bytes(64 * KB, 512L * MB),
            "1mb",
            "Longest word of a request; a longer one closes the connection.");
    public static final Setting<Long> CLIENT_QUERY_BUFFER_LIMIT = live(
            "client-query-buffer-limit",
            new Bytes(MB, MANY),
            "16mb",
            "Bytes of one request not yet complete; more close the connection.");
    public static final Setting<OutputLimits> CLIENT_OUTPUT_BUFFER_LIMIT = live(
            "client-output-buffer-limit",
            new OutputLimits.Type(),
            "normal 64mb 16mb 60 pubsub 32mb 8mb 60",
            "Unread replies that close a connection: at once (hard), or after seconds (soft), and 0 never; see operating.md.");
    public static final Setting<Long> MAX_KEY_LENGTH =
            live("max-key-length", new Whole(1, 65535), "65535", "Longest key in bytes; a longer one is refused.");

    // Memory

    public static final Setting<Long> MAXMEMORY = group("Memory")
            .add(
                    "maxmemory",
                    new Bytes(0, Long.MAX_VALUE),
                    "0",
                    LIVE,
                    "Memory for counters; beyond it no new ones are taken. 0 is four fifths of the heap, and the most that counts.");

    // Persistence

    public static final Setting<Boolean> PERSISTENCE = group("Persistence")
            .add("persistence", new YesNo(), "yes", AT_START, "Keep counters on disk; no keeps them in memory only.");
    public static final Setting<String> DIR =
            fixed("dir", new Filled("directory"), "./data", "Directory of all that is kept; one process uses it.");
    public static final Setting<String> APPENDFSYNC = live(
            "appendfsync",
            new OneOf("everysec", "always", "no"),
            "everysec",
            "When writes reach the disk itself: every second, before the reply, or when the system likes.");
    public static final Setting<Long> JOURNAL_SEGMENT_SIZE = fixed(
            "journal-segment-size", new Bytes(MB, 1024L * MB), "64mb", "Size of the journal's files, made in advance.");
    public static final Setting<Long> JOURNAL_CHECKPOINT_SIZE = fixed(
            "journal-checkpoint-size",
            new Bytes(MB, 64L * 1024 * MB),
            "256mb",
            "Bytes of journal, or four times that while joining, after which it goes to the database and starts anew.");
    public static final Setting<Long> JOURNAL_RETRY_TIMEOUT = fixed(
            "journal-retry-timeout",
            new Whole(1, 3600),
            "10",
            "Seconds that a failing disk is tried again before waiting clients are closed without a reply.");

    public static final Setting<Long> SHUTDOWN_TIMEOUT = live(
            "shutdown-timeout",
            new Whole(1, 3600),
            "10",
            "Seconds that a stop waits for the last checkpoint, and then for a disk that does not answer.");

    // Cluster

    public static final Setting<String> CLUSTER_NAME = group("Cluster")
            .add(
                    "cluster-name",
                    new Text("name"),
                    "",
                    AT_START,
                    "Cluster to be a node of, the same name on all; empty is none: a node by itself, which sends nothing.");
    public static final Setting<String> CLUSTER_BIND = fixed(
            "cluster-bind",
            new Text("address"),
            "127.0.0.1",
            "Address of this machine that the others reach it at, or a word such as site_local that picks one.");

    public static final Setting<Long> CLUSTER_PORT = fixed(
            "cluster-port",
            new Whole(0, 65535),
            "7800",
            "Port for the other nodes; 0 takes any free one, with udp only.");
    public static final Setting<String> CLUSTER_STACK = fixed(
            "cluster-stack",
            new Text("udp|tcp|k8s|file"),
            "udp",
            "How nodes meet: by multicast, by seeds, by a name in DNS, or as a file of JGroups says; see conf/cluster-*.xml.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_SEEDS = fixed(
            "cluster-seeds",
            new Addresses(0, 1000),
            "",
            "With tcp: the nodes, or some that will be there, to ask for the others.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_MULTICAST = fixed(
            "cluster-multicast",
            new Addresses(1, 1),
            "239.77.7.7:46655",
            "With udp: the multicast address that nodes meet at, the same on all.");
    public static final Setting<String> CLUSTER_DNS = fixed(
            "cluster-dns",
            new Text("name"),
            "",
            "With k8s: the name that DNS knows all nodes by, such as that of a headless service.");
    public static final Setting<String> CLUSTER_KEY_FILE = fixed(
            "cluster-key-file",
            new Text("file"),
            "",
            "Keys that nodes encrypt with, made by tallis keygen, one a line: all are accepted, the first is sent with.");
    public static final Setting<Boolean> CLUSTER_INSECURE = fixed(
            "cluster-insecure",
            new YesNo(),
            "no",
            "Without a key, let other machines reach this node all the same; whoever does can change every counter.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_ANNOUNCE = fixed(
            "cluster-announce",
            new Addresses(0, 1),
            "",
            "Where clients reach this node, for the others to tell; empty: at bind, or cluster-bind where that is *, and port.");
    public static final Setting<Long> CLUSTER_JOIN_TIMEOUT = fixed(
            "cluster-join-timeout",
            new Whole(1, 86_400),
            "60",
            "Seconds without progress after which a node that joins serves with what it has.");
    public static final Setting<Long> CLUSTER_ALONE_TIMEOUT = fixed(
            "cluster-alone-timeout",
            new Whole(0, 3600),
            "3",
            "Seconds that a node which expects others, or has no counters, waits for one before it serves alone; 0 is for ever.");
    public static final Setting<Boolean> CLUSTER_HOLD = fixed(
            "cluster-hold", new YesNo(), "no", "Go on answering LOADING after joining, until SYSTEM READY is given.");
    public static final Setting<String> CLUSTER_DONOR = fixed(
            "cluster-donor", new Text("name"), "", "Name of the node to get counters from when joining; empty is any.");
    public static final Setting<Long> CLUSTER_BULK_RATE = fixed(
            "cluster-bulk-rate",
            new Bytes(64 * KB, 64L * 1024 * MB),
            "64mb",
            "Bytes a second for those that join or missed something; changes of its own clients have as many again.");
    public static final Setting<Long> CLUSTER_ROTATION_RATE = fixed(
            "cluster-rotation-rate",
            new Bytes(KB, 1024L * MB),
            "64kb",
            "Bytes a second at which this node tells all its counters again and again.");

    // Watching

    public static final Setting<String> NAME = group("Watching")
            .add("name", new Text("name"), "", AT_START, "Name of this node for people; empty is the machine's name.");
    public static final Setting<String> LOGFILE =
            fixed("logfile", new Text("file"), "", "File that the log is appended to; empty is the standard output.");
    public static final Setting<String> LOGLEVEL = live(
            "loglevel",
            new OneOf("debug", "verbose", "notice", "warning"),
            "notice",
            "What the log tells; each level has what follows it.");
    public static final Setting<Long> SLOWLOG_LOG_SLOWER_THAN = live(
            "slowlog-log-slower-than",
            new Whole(-1, Long.MAX_VALUE),
            "10000",
            "Microseconds beyond which a command is noted in SLOWLOG; 0 notes all, -1 none.");
    public static final Setting<Long> SLOWLOG_MAX_LEN =
            live("slowlog-max-len", new Whole(0, 100_000), "128", "Commands that SLOWLOG remembers.");
    public static final Setting<Long> LATENCY_MONITOR_THRESHOLD = live(
            "latency-monitor-threshold",
            new Whole(0, MANY),
            "0",
            "Milliseconds beyond which an event is noted for LATENCY; 0 is off.");
    public static final Setting<String> ENABLE_DEBUG_COMMAND = fixed(
            "enable-debug-command",
            new OneOf("no", "yes", "local"),
            "no",
            "Who may use DEBUG: nobody, everybody, or clients over the loopback address.");
    public static final Setting<String> ENABLE_FLUSH_COMMAND = fixed(
            "enable-flush-command",
            new OneOf("no", "yes", "local"),
            "local",
            "Who may use FLUSHALL and FLUSHDB: nobody, everybody, or clients over the loopback address.");

    private Settings() {}

    /// Settings that belong together, with the heading above them.
    public record Group(String title, List<Setting<?>> settings) {
        <T> Setting<T> add(String name, SettingType<T> type, String text, Setting.Change change, String doc) {
            var setting = new Setting<>(name, type, text, change, doc);
            settings.add(setting);
            BY_NAME.put(name, setting);
            return setting;
        }
    }

    public static List<Group> groups() {
        return List.copyOf(GROUPS);
    }

    public static List<Setting<?>> all() {
        return List.copyOf(BY_NAME.values());
    }

    static @Nullable Setting<?> named(String name) {
        return BY_NAME.get(name);
    }

    /// The setting of an option such as `--port`; null when there is none.
    public static @Nullable Setting<?> withOption(String option) {
        return option.startsWith("--") ? BY_NAME.get(option.substring(2)) : null;
    }

    /// The error for a setting that does not exist, named at `origin`.
    public static String unknown(String name, String origin) {
        String near = NearestName.of(name);
        String advice = near == null ? "see --help" : "did you mean '" + near + "'?";
        return origin + ": unknown setting '" + name + "'; " + advice;
    }

    /// The error for a setting that is named at `origin` without a value.
    public static String valueless(Setting<?> setting, String origin) {
        return origin + ": " + setting.name() + " needs a value (<"
                + setting.type().label() + ">)";
    }

    private static Group group(String title) {
        var group = new Group(title, new ArrayList<>());
        GROUPS.add(group);
        return group;
    }

    private static <T> Setting<T> live(String name, SettingType<T> type, String text, String doc) {
        return GROUPS.getLast().add(name, type, text, LIVE, doc);
    }

    private static <T> Setting<T> fixed(String name, SettingType<T> type, String text, String doc) {
        return GROUPS.getLast().add(name, type, text, AT_START, doc);
    }
}
