package io.tallis.config;

import static io.tallis.config.Setting.Change.AT_START;
import static io.tallis.config.Setting.Change.LIVE;

import io.tallis.config.SettingTypes.Bytes;
import io.tallis.config.SettingTypes.NonBlank;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The catalogue of all settings, in the order of `conf/tallis.conf`. Names, meanings and defaults are Redis's where
/// Redis has the setting and its default suits a counter server.
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
                    "Addresses to listen on; * is all. An address with a leading minus is skipped if this machine does not have it.");
    public static final Setting<Boolean> PROTECTED_MODE = live(
            "protected-mode",
            new YesNo(),
            "yes",
            "While no password is set, accept only clients that connect over the loopback address, whatever bind says.");
    public static final Setting<Long> PORT = fixed(
            "port", new Whole(0, 65535), "6379", "Port for clients; 0 is any free one, or none if tls-port is set.");
    public static final Setting<Long> HTTP_PORT = fixed(
            "http-port",
            new Whole(0, 65535),
            "0",
            "Port for clients that use HTTP, on the same addresses; 0 is none. The password, if one is set, is the bearer token.");
    public static final Setting<Set<String>> HTTP_ALLOW_ORIGINS = live(
            "http-allow-origins",
            new Origins(),
            "",
            "Web sites whose pages may use this server from a browser, as https://app.example.org, with a blank between two; * is every site.");
    public static final Setting<Long> REDIS_CLUSTER_PORT = fixed(
            "redis-cluster-port",
            new Whole(0, 65535),
            "0",
            "Port for clients of Redis Cluster, on the same addresses and on all nodes of a cluster; 0 is none.");
    public static final Setting<Long> TCP_BACKLOG = fixed(
            "tcp-backlog",
            new Whole(1, 65535),
            "511",
            "Length of the queue of connections that wait to be accepted; the kernel may limit it further.");
    public static final Setting<Long> TIMEOUT = live(
            "timeout",
            new Whole(0, MANY),
            "0",
            "Seconds after which the connection of an idle client is closed; 0 is never.");
    public static final Setting<Long> TCP_KEEPALIVE = live(
            "tcp-keepalive",
            new Whole(0, MANY),
            "300",
            "Seconds between TCP keepalive probes, on connections opened from now on; 0 is off.");
    public static final Setting<String> TRANSPORT = fixed(
            "transport",
            new OneOf("auto", "io_uring", "epoll", "nio"),
            "auto",
            "The interface to the kernel's sockets; auto is the first of the others that works on this machine.");
    public static final Setting<Long> IO_THREADS = fixed(
            "io-threads", new Whole(0, 128), "0", "Threads that serve clients; 0 is one thread for each two cores.");

    // TLS

    public static final Setting<Long> TLS_PORT = group("TLS")
            .add("tls-port", new Whole(0, 65535), "0", AT_START, "Port for clients that use TLS; 0 is none.");
    public static final Setting<Long> HTTP_TLS_PORT =
            fixed("http-tls-port", new Whole(0, 65535), "0", "Port for clients that use HTTP within TLS; 0 is none.");
    public static final Setting<Boolean> REDIS_CLUSTER_TLS = fixed(
            "redis-cluster-tls", new YesNo(), "no", "Serve redis-cluster-port within TLS; the same on all nodes.");
    public static final Setting<String> TLS_CERT_FILE = live(
            "tls-cert-file",
            new Text("file"),
            "",
            "File with the certificate of this server and its chain, in PEM format; read again when it changes, as are the other two.");
    public static final Setting<String> TLS_KEY_FILE = live(
            "tls-key-file",
            new Text("file"),
            "",
            "File with the private key of that certificate, in PEM format (PKCS#8).");
    public static final Setting<String> TLS_CA_CERT_FILE = live(
            "tls-ca-cert-file",
            new Text("file"),
            "",
            "File with the certificates of the authorities that sign client certificates, in PEM format.");
    public static final Setting<Boolean> TLS_AUTH_CLIENTS = live(
            "tls-auth-clients",
            new YesNo(),
            "yes",
            "Accept only TLS clients with a certificate that one of those authorities signed.");
    public static final Setting<String> TLS_AUTH_CLIENTS_USER = live(
            "tls-auth-clients-user",
            new OneOf("off", "cn"),
            "off",
            "With cn, a TLS client is authenticated as the user whose name is the common name (CN) of its certificate.");

    // Clients

    public static final Setting<String> REQUIREPASS =
            group("Clients").add("requirepass", new Text("password"), "", LIVE, "Password of clients; empty is none.");
    public static final Setting<String> ACLFILE = fixed(
            "aclfile",
            new Text("file"),
            "",
            "File with the users and their permissions, for ACL LOAD and ACL SAVE, relative to the working directory; empty is none. Without it, lines with user, a name and rules in this file define users.");
    public static final Setting<Long> ACLLOG_MAX_LEN =
            live("acllog-max-len", new Whole(0, 100_000), "128", "Number of denied requests that ACL LOG keeps.");
    public static final Setting<Long> MAXCLIENTS = live(
            "maxclients",
            new Whole(1, MANY),
            "10000",
            "Maximum number of client connections; further ones are refused.");
    public static final Setting<Long> PROTO_MAX_BULK_LEN = live(
            "proto-max-bulk-len",
            new Bytes(64 * KB, 512L * MB),
            "1mb",
            "Maximum length of one argument of a request in bytes; a longer one closes the connection.");
    public static final Setting<Long> SCRIPT_MAX_STEPS = live(
            "script-max-steps",
            new Whole(10_000, 100_000_000),
            "1000000",
            "Steps after which a script is stopped: about one for an instruction, and one for 16 bytes that it makes.");
    public static final Setting<Long> CLIENT_QUERY_BUFFER_LIMIT = live(
            "client-query-buffer-limit",
            new Bytes(MB, MANY),
            "16mb",
            "Maximum size of a request in bytes; a longer one closes the connection.");
    public static final Setting<OutputLimits> CLIENT_OUTPUT_BUFFER_LIMIT = live(
            "client-output-buffer-limit",
            new OutputLimits.Type(),
            "normal 64mb 16mb 60 pubsub 32mb 8mb 60",
            "For each class of clients: bytes of unread replies that close a connection at once, and bytes that close it after some seconds; 0 is never.");
    public static final Setting<Long> MAX_KEY_LENGTH = live(
            "max-key-length",
            new Whole(1, 65535),
            "65535",
            "Maximum length of a key in bytes; a longer one is refused.");

    // Memory

    public static final Setting<Long> MAXMEMORY = group("Memory")
            .add(
                    "maxmemory",
                    new Bytes(0, Long.MAX_VALUE),
                    "0",
                    LIVE,
                    "Bytes that counters take in memory, above which new counters are refused. 0 is 80 % of the heap, which is also the maximum.");
    public static final Setting<Long> VALUE_MAX_LEN = live(
            "value-max-len",
            new Bytes(64, MB),
            "64kb",
            "Maximum length in bytes of a value that is not a whole number.");
    public static final Setting<Long> EXPIRY_GRACE = live(
            "expiry-grace",
            new Whole(1, 86_400),
            "60",
            "Seconds for which an expired counter is kept, so that late copies of it are recognised. The same on all nodes.");
    public static final Setting<Long> FOLD_AFTER = fixed(
            "fold-after",
            new Whole(0, 86_400),
            "60",
            "Seconds after which the counts of a process that has ended are added to those of earlier ones, when all nodes are there.");

    public static final Setting<Long> MAX_SOURCES = fixed(
            "max-sources",
            new Whole(0, 1_000_000),
            "100000",
            "Maximum number of sources that clients may name in MERGE; each takes about 100 bytes until the node ends.");

    public static final Setting<Long> IDEMPOTENCY_WINDOW = fixed(
            "idempotency-window",
            new Whole(1, 86_400),
            "600",
            "Seconds for which a token of IDMP is known: a request repeated within them counts once.");
    public static final Setting<Long> IDEMPOTENCY_MAX_TOKENS = fixed(
            "idempotency-max-tokens",
            new Whole(0, 100_000_000),
            "100000",
            "Number of tokens of IDMP above which new ones are refused; each takes about 150 bytes until a minute after the window.");

    // Persistence

    public static final Setting<Boolean> PERSISTENCE = group("Persistence")
            .add(
                    "persistence",
                    new YesNo(),
                    "yes",
                    AT_START,
                    "Keep counters on disk; with no they are in memory only. Give such a node of a cluster a name, by which others know it after a restart.");
    public static final Setting<String> DIR =
            fixed("dir", new NonBlank("directory"), "./data", "Data directory; one process at a time can use it.");
    public static final Setting<String> APPENDFSYNC = live(
            "appendfsync",
            new OneOf("everysec", "always", "no"),
            "everysec",
            "When the journal is synced to the disk: every second, before each reply, or when the operating system decides.");
    public static final Setting<Long> JOURNAL_SEGMENT_SIZE = fixed(
            "journal-segment-size",
            new Bytes(MB, 1024L * MB),
            "64mb",
            "Size of a journal file in bytes; files are allocated in advance.");
    public static final Setting<Long> JOURNAL_CHECKPOINT_SIZE = fixed(
            "journal-checkpoint-size",
            new Bytes(MB, 64L * 1024 * MB),
            "256mb",
            "Bytes of journal after which a checkpoint writes the changed counters to the database; four times as many while the node joins.");
    public static final Setting<Long> JOURNAL_RETRY_TIMEOUT = fixed(
            "journal-retry-timeout",
            new Whole(1, 3600),
            "10",
            "Seconds for which a failed write to the journal is retried; then the connections that wait for it are closed without a reply.");

    public static final Setting<Long> SHUTDOWN_TIMEOUT = live(
            "shutdown-timeout",
            new Whole(1, 3600),
            "10",
            "Seconds that a shutdown waits for the last checkpoint, and then once more for a disk that does not respond.");

    // Cluster

    public static final Setting<String> CLUSTER_NAME = group("Cluster")
            .add(
                    "cluster-name",
                    new Text("name"),
                    "",
                    AT_START,
                    "Name of the cluster, the same on all its nodes. Empty is a single node, which replicates nothing.");
    public static final Setting<String> CLUSTER_BIND = fixed(
            "cluster-bind",
            new Text("address"),
            "127.0.0.1",
            "Address of this machine at which other nodes reach it, or a word such as site_local that picks one.");

    public static final Setting<Long> CLUSTER_PORT = fixed(
            "cluster-port",
            new Whole(0, 65535),
            "7800",
            "Port for other nodes; with udp the next free one of the 50 above if it is taken, and 0 is any free one.");
    public static final Setting<String> CLUSTER_STACK = fixed(
            "cluster-stack",
            new Text("udp|tcp|k8s|file"),
            "udp",
            "How nodes find each other: udp by cluster-multicast, tcp by cluster-seeds, k8s by cluster-dns, or a file such as conf/cluster-tcp.xml.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_SEEDS = fixed(
            "cluster-seeds",
            new Addresses(0, 1000),
            "",
            "With tcp: addresses of all or some nodes, as host:port,host:port; a node learns from them of the others.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_MULTICAST = fixed(
            "cluster-multicast",
            new Addresses(1, 1),
            "239.77.7.7:46655",
            "With udp: the multicast address by which nodes find each other, the same on all.");
    public static final Setting<String> CLUSTER_DNS = fixed(
            "cluster-dns",
            new Text("name"),
            "",
            "With k8s: a DNS name that resolves to the addresses of all nodes, such as that of a headless service.");
    public static final Setting<String> CLUSTER_KEY_FILE = fixed(
            "cluster-key-file",
            new Text("file"),
            "",
            "File with keys made by tallis keygen, one a line: packets between nodes are sent with the first and accepted with any.");
    public static final Setting<Boolean> CLUSTER_INSECURE = fixed(
            "cluster-insecure",
            new YesNo(),
            "no",
            "Allow a cluster-bind that other machines can reach without a key; each of them can then change every counter.");
    public static final Setting<List<InetSocketAddress>> CLUSTER_ANNOUNCE = fixed(
            "cluster-announce",
            new Addresses(0, 1),
            "",
            "Address (host:port) at which clients reach this node, as SYSTEM NODES shows it; empty is that of bind, or of cluster-bind if bind is *.");
    public static final Setting<Long> CLUSTER_JOIN_TIMEOUT = fixed(
            "cluster-join-timeout",
            new Whole(1, 86_400),
            "60",
            "Seconds without progress after which a complete node serves clients although it has not fetched all that it missed.");
    public static final Setting<Long> CLUSTER_ALONE_TIMEOUT = fixed(
            "cluster-alone-timeout",
            new Whole(0, 3600),
            "3",
            "Seconds that a complete node looks for others before it serves alone, and an empty node before it founds a cluster; 0 is without limit.");
    public static final Setting<Long> CLUSTER_BOOTSTRAP_EXPECT = fixed(
            "cluster-bootstrap-expect",
            new Whole(0, 1024),
            "0",
            "How many empty nodes have to reach each other before one founds a cluster. 0 means 1; with cluster-seeds their number, at least 2; with cluster-dns or cluster-donor that none founds one.");
    public static final Setting<Boolean> CLUSTER_HOLD = fixed(
            "cluster-hold",
            new YesNo(),
            "no",
            "Answer LOADING after joining too, until an operator gives SYSTEM READY.");
    public static final Setting<String> CLUSTER_DONOR = fixed(
            "cluster-donor",
            new Text("name"),
            "",
            "Name of the node to fetch counters from when joining; other nodes if it is not reachable for 10 seconds. Empty is any.");
    public static final Setting<Long> CLUSTER_BULK_RATE = fixed(
            "cluster-bulk-rate",
            new Bytes(64 * KB, 64L * 1024 * MB),
            "64mb",
            "Bytes a second that this node sends at most to nodes that join or missed changes; new changes of its clients have a second limit as large.");
    public static final Setting<Long> CLUSTER_ROTATION_RATE = fixed(
            "cluster-rotation-rate",
            new Bytes(KB, 1024L * MB),
            "64kb",
            "Bytes a second at which this node sends all counters again and again, in case a difference between nodes went unnoticed.");

    // Monitoring

    public static final Setting<String> NAME = group("Monitoring")
            .add(
                    "name",
                    new Text("name"),
                    "",
                    AT_START,
                    "Name of this node in logs and replies; empty is the host name.");
    public static final Setting<String> LOGFILE =
            fixed("logfile", new Text("file"), "", "File to append the log to; empty is standard output.");
    public static final Setting<String> LOGLEVEL = live(
            "loglevel",
            new OneOf("debug", "verbose", "notice", "warning"),
            "notice",
            "Level of the log; each includes those after it.");
    public static final Setting<Long> SLOWLOG_LOG_SLOWER_THAN = live(
            "slowlog-log-slower-than",
            new Whole(-1, Long.MAX_VALUE),
            "10000",
            "Microseconds above which a command is recorded in SLOWLOG; 0 is all, -1 none.");
    public static final Setting<Long> SLOWLOG_MAX_LEN =
            live("slowlog-max-len", new Whole(0, 100_000), "128", "Number of commands that SLOWLOG keeps.");
    public static final Setting<Long> LATENCY_MONITOR_THRESHOLD = live(
            "latency-monitor-threshold",
            new Whole(0, MANY),
            "0",
            "Milliseconds above which an event is recorded for LATENCY; 0 is off.");
    public static final Setting<String> NOTIFY_KEYSPACE_EVENTS = live(
            "notify-keyspace-events",
            new EventLetters(),
            "",
            "Keyspace notifications, in Redis's letters: K, E or both for the channels, and g, $, x or A for the events.");
    public static final Setting<Long> TRACKING_TABLE_MAX_KEYS = live(
            "tracking-table-max-keys",
            new Whole(1, 100_000_000),
            "100000",
            "Keys that CLIENT TRACKING remembers; one counts once for each client that has read it.");
    public static final Setting<String> ENABLE_DEBUG_COMMAND = fixed(
            "enable-debug-command",
            new OneOf("no", "yes", "local"),
            "no",
            "Clients that may use DEBUG: none, all, or those that connect over the loopback address.");
    public static final Setting<String> ENABLE_FLUSH_COMMAND = fixed(
            "enable-flush-command",
            new OneOf("no", "yes", "local"),
            "local",
            "Clients that may use FLUSHALL and FLUSHDB: none, all, or those that connect over the loopback address.");

    private Settings() {}

    /// A group of settings with its title, as `--help` and `conf/tallis.conf` show them.
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

    /// The setting of a command line option such as `--port`; null when there is none.
    public static @Nullable Setting<?> withOption(String option) {
        return option.startsWith("--") ? BY_NAME.get(option.substring(2)) : null;
    }

    /// The error text for a setting at `origin` that does not exist.
    public static String unknown(String name, String origin) {
        String near = NearestName.of(name);
        String advice = near == null ? "see --help" : "did you mean '" + near + "'?";
        return origin + ": unknown setting '" + name + "'; " + advice;
    }

    /// The error text for a setting at `origin` without a value.
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
