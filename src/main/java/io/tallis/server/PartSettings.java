package io.tallis.server;

import io.tallis.cluster.ReplicationSettings;
import io.tallis.cluster.jgroups.JGroupsSettings;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.records.Addresses;
import io.tallis.command.CommandSettings;
import io.tallis.command.KeyEvent;
import io.tallis.config.OutputLimits;
import io.tallis.config.Setting;
import io.tallis.config.Settings;
import io.tallis.config.Values;
import io.tallis.http.HttpLimits;
import io.tallis.http.Logins;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.JournalSettings;
import io.tallis.resp.RespLimits;
import io.tallis.resp.socket.RespSettings;
import io.tallis.resp.socket.TlsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The settings of each part, made from the values of the configuration.
final class PartSettings {
    private static final int NEWEST_PROTOCOL = 1;
    private static final int MOST_SHOWN_CHARS = 100;
    private static final List<Setting<?>> CLUSTER_ONLY = List.of(
            Settings.CLUSTER_STACK,
            Settings.CLUSTER_SEEDS,
            Settings.CLUSTER_MULTICAST,
            Settings.CLUSTER_DNS,
            Settings.CLUSTER_KEY_FILE,
            Settings.CLUSTER_INSECURE,
            Settings.CLUSTER_DONOR,
            Settings.CLUSTER_HOLD);
    private static final Set<String> ALL_ADDRESSES = Set.of("*", "0.0.0.0", "::", "::*");

    private PartSettings() {}

    static RespSettings resp(Values values) {
        return new RespSettings(
                values.get(Settings.BIND),
                port(values),
                values.count(Settings.TCP_BACKLOG),
                values.count(Settings.IO_THREADS),
                values.get(Settings.TRANSPORT));
    }

    static TlsSettings tls(Values values) {
        return new TlsSettings(
                values.get(Settings.TLS_CERT_FILE),
                values.get(Settings.TLS_KEY_FILE),
                values.get(Settings.TLS_CA_CERT_FILE),
                values.get(Settings.TLS_AUTH_CLIENTS));
    }

    /// Whether any port is for TLS.
    static boolean usesTls(Values values) {
        return values.count(Settings.TLS_PORT) != 0
                || values.count(Settings.HTTP_TLS_PORT) != 0
                || values.get(Settings.REDIS_CLUSTER_TLS);
    }

    /// With a TLS port, `port 0` means no other port, as in Redis.
    private static int port(Values values) {
        int port = values.count(Settings.PORT);
        return port == 0 && values.count(Settings.TLS_PORT) != 0 ? RespSettings.NO_PORT : port;
    }

    static RespLimits limits(Values values, boolean needsPassword) {
        OutputLimits output = values.get(Settings.CLIENT_OUTPUT_BUFFER_LIMIT);
        return new RespLimits(
                values.count(Settings.MAXCLIENTS),
                values.count(Settings.TIMEOUT),
                values.count(Settings.TCP_KEEPALIVE),
                values.get(Settings.PROTECTED_MODE),
                needsPassword,
                values.count(Settings.PROTO_MAX_BULK_LEN),
                values.get(Settings.CLIENT_QUERY_BUFFER_LIMIT),
                MemoryBound.ofClients(),
                limit(output.normal()),
                limit(output.pubsub()));
    }

    /// A request of HTTP may become as many bytes of RESP. Twice of it fits into the limit of RESP, which counts what a
    /// client has sent ahead.
    static HttpLimits http(Values values, Logins logins) {
        return new HttpLimits(
                logins,
                values.get(Settings.PROTECTED_MODE),
                values.get(Settings.HTTP_ALLOW_ORIGINS),
                Math.toIntExact(values.get(Settings.CLIENT_QUERY_BUFFER_LIMIT) / 2),
                values.count(Settings.PROTO_MAX_BULK_LEN));
    }

    private static RespLimits.OutputLimit limit(OutputLimits.Limit limit) {
        return new RespLimits.OutputLimit(limit.hardBytes(), limit.softBytes(), limit.softSeconds());
    }

    static CommandSettings commands(Values values) {
        return new CommandSettings(
                MemoryBound.ofNewCounters(values),
                MemoryBound.ofClientChanges(values),
                MemoryBound.ofKept(),
                values.count(Settings.MAX_KEY_LENGTH),
                (int) (long) values.get(Settings.VALUE_MAX_LEN),
                values.get(Settings.SLOWLOG_LOG_SLOWER_THAN),
                values.count(Settings.SLOWLOG_MAX_LEN),
                values.get(Settings.LATENCY_MONITOR_THRESHOLD),
                values.get(Settings.ENABLE_DEBUG_COMMAND),
                values.get(Settings.ENABLE_FLUSH_COMMAND));
    }

    /// What keyspace notifications tell, see [KeyEvent#flags].
    static Integer keyEvents(Values values) {
        return KeyEvent.flags(values.get(Settings.NOTIFY_KEYSPACE_EVENTS));
    }

    static long mostScriptSteps(Values values) {
        return values.get(Settings.SCRIPT_MAX_STEPS);
    }

    static JournalSettings journal(Values values) {
        return new JournalSettings(
                dir(values),
                values.get(Settings.JOURNAL_SEGMENT_SIZE),
                values.get(Settings.JOURNAL_CHECKPOINT_SIZE),
                values.count(Settings.JOURNAL_RETRY_TIMEOUT));
    }

    /// Refuses settings that have no effect beside the others, since the operator expects one, and conflicting ports.
    static void requireConsistent(Values values) {
        if (!usesTls(values) && !values.isDefault(Settings.TLS_CERT_FILE)) {
            throw new StartException(
                    "tls-cert-file is set, but none of tls-port, http-tls-port and redis-cluster-tls is: no client"
                            + " could use TLS");
        }
        if (values.get(Settings.REDIS_CLUSTER_TLS) && values.count(Settings.REDIS_CLUSTER_PORT) == 0) {
            throw new StartException("redis-cluster-tls is set, but redis-cluster-port is not");
        }
        if (values.get(Settings.CLUSTER_NAME).isEmpty()) {
            requireNoClusterSettings(values);
        } else {
            requireStack(values, Settings.CLUSTER_SEEDS, "tcp");
            requireStack(values, Settings.CLUSTER_DNS, "k8s");
            requireStack(values, Settings.CLUSTER_MULTICAST, "udp");
            requirePortsApart(values);
        }
    }

    private static void requireStack(Values values, Setting<?> setting, String stack) {
        String given = values.get(Settings.CLUSTER_STACK);
        if (!values.isDefault(setting) && JGroupsSettings.BUILT_IN_STACKS.contains(given) && !given.equals(stack)) {
            throw new StartException(setting.name() + " is set, but has no effect with cluster-stack " + given
                    + ": set cluster-stack " + stack + " or remove it");
        }
    }

    /// Only for built-in stacks with TCP ports: `udp` uses its port for datagrams, and a custom stack is unknown.
    private static void requirePortsApart(Values values) {
        int port = values.count(Settings.CLUSTER_PORT);
        boolean isForConnections = Set.of("tcp", "k8s").contains(values.get(Settings.CLUSTER_STACK));
        InetAddress address = JGroupsSettings.picked(values.get(Settings.CLUSTER_BIND));
        boolean sameAddress = hosts(values)
                .anyMatch(host -> ALL_ADDRESSES.contains(host)
                        || (address != null && address.equals(new InetSocketAddress(host, 0).getAddress())));
        if (port > 0
                && isForConnections
                && sameAddress
                && (port == values.count(Settings.PORT)
                        || port == values.count(Settings.TLS_PORT)
                        || port == values.count(Settings.HTTP_PORT)
                        || port == values.count(Settings.HTTP_TLS_PORT)
                        || port == values.count(Settings.REDIS_CLUSTER_PORT))) {
            throw new StartException("cluster-port " + port + " is also the port for clients: set another one");
        }
    }

    /// Without cluster-name the node would not replicate, and the operator might not notice.
    private static void requireNoClusterSettings(Values values) {
        for (Setting<?> setting : CLUSTER_ONLY) {
            if (!values.isDefault(setting)) {
                throw new StartException(setting.name() + " is set, but cluster-name is not: without it the node does"
                        + " not replicate");
            }
        }
    }

    static JGroupsSettings network(Values values) {
        String keyFile = values.get(Settings.CLUSTER_KEY_FILE);
        return new JGroupsSettings(
                values.get(Settings.CLUSTER_NAME),
                NodeIdentity.name(values),
                values.get(Settings.CLUSTER_STACK),
                values.get(Settings.CLUSTER_BIND),
                values.count(Settings.CLUSTER_PORT),
                values.get(Settings.CLUSTER_SEEDS),
                values.get(Settings.CLUSTER_MULTICAST).getFirst(),
                values.get(Settings.CLUSTER_DNS),
                keyFile.isEmpty() ? null : Path.of(keyFile),
                values.get(Settings.CLUSTER_INSECURE));
    }

    static ReplicationSettings replication(Values values) {
        boolean namesOthers = !values.get(Settings.CLUSTER_SEEDS).isEmpty()
                || !values.get(Settings.CLUSTER_DNS).isEmpty()
                || !values.get(Settings.CLUSTER_DONOR).isEmpty();
        long alone = values.get(Settings.CLUSTER_ALONE_TIMEOUT);
        JoiningSettings joining = new JoiningSettings(
                namesOthers || alone == 0,
                alone == 0 ? JoiningSettings.FOR_EVER : Duration.ofSeconds(alone),
                Duration.ofSeconds(values.get(Settings.CLUSTER_JOIN_TIMEOUT)),
                values.get(Settings.CLUSTER_HOLD),
                values.get(Settings.CLUSTER_DONOR),
                bootstrapExpect(values),
                foundBy(values));
        return new ReplicationSettings(
                joining,
                values.get(Settings.CLUSTER_BULK_RATE),
                values.get(Settings.CLUSTER_ROTATION_RATE),
                MemoryBound.ofMerges(),
                NEWEST_PROTOCOL,
                TimeUnit.SECONDS.toNanos(values.get(Settings.FOLD_AFTER)));
    }

    /// The settings to be checked when nodes do not find each other, with where and for whom this one looks.
    private static String foundBy(Values values) {
        Setting<?> where = switch (values.get(Settings.CLUSTER_STACK)) {
            case "udp" -> Settings.CLUSTER_MULTICAST;
            case "tcp" -> Settings.CLUSTER_SEEDS;
            case "k8s" -> Settings.CLUSTER_DNS;
            default -> Settings.CLUSTER_STACK;
        };
        String donor = values.get(Settings.CLUSTER_DONOR);
        return shown(where, values) + ", " + shown(Settings.CLUSTER_NAME, values)
                + (donor.isEmpty() ? "" : ", " + shown(Settings.CLUSTER_DONOR, values)) + " and "
                + Settings.CLUSTER_KEY_FILE.name();
    }

    /// A setting and its value, of a thousand addresses only the first ones.
    private static String shown(Setting<?> setting, Values values) {
        String text = values.text(setting);
        return setting.name() + " "
                + (text.length() <= MOST_SHOWN_CHARS ? text : text.substring(0, MOST_SHOWN_CHARS) + "...");
    }

    /// The number of empty nodes that have to see each other before one founds a cluster. The default is 1 with
    /// multicast, the number of seeds if seeds are set, and 0, which means never, with a DNS name or a donor, since the
    /// number of nodes is unknown then.
    private static int bootstrapExpect(Values values) {
        int told = Math.toIntExact(values.get(Settings.CLUSTER_BOOTSTRAP_EXPECT));
        if (told > 0) {
            return told;
        }
        if (!values.get(Settings.CLUSTER_DNS).isEmpty()
                || !values.get(Settings.CLUSTER_DONOR).isEmpty()) {
            return 0;
        }
        int seeds = values.get(Settings.CLUSTER_SEEDS).size();
        return seeds == 0 ? 1 : Math.max(2, seeds);
    }

    /// Where the node that listens on `port` serves clients, as sent to other nodes.
    static Addresses addresses(Values values, int port) {
        List<InetSocketAddress> announced = values.get(Settings.CLUSTER_ANNOUNCE);
        String host = announced.isEmpty()
                ? hostForClients(values)
                : announced.getFirst().getHostString();
        return new Addresses(
                hostAndPort(
                        host, announced.isEmpty() ? port : announced.getFirst().getPort()),
                httpUrl(values, host),
                slotsAddress(values, host));
    }

    private static String slotsAddress(Values values, String host) {
        int port = values.count(Settings.REDIS_CLUSTER_PORT);
        return port == 0 ? "" : hostAndPort(host, port);
    }

    /// Where HTTP is served, within TLS if that is possible; empty if it is not.
    private static String httpUrl(Values values, String host) {
        int port = values.count(Settings.HTTP_PORT);
        int tlsPort = values.count(Settings.HTTP_TLS_PORT);
        if (tlsPort != 0) {
            return "https://" + hostAndPort(host, tlsPort);
        }
        return port == 0 ? "" : "http://" + hostAndPort(host, port);
    }

    /// Clients cannot connect to the wildcard address.
    private static String hostForClients(Values values) {
        String host = hosts(values).findFirst().orElseThrow();
        return ALL_ADDRESSES.contains(host) ? addressForNodes(values) : host;
    }

    private static String addressForNodes(Values values) {
        String bind = values.get(Settings.CLUSTER_BIND);
        InetAddress picked = JGroupsSettings.picked(bind);
        return picked == null ? bind : picked.getHostAddress();
    }

    private static String hostAndPort(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /// Whether clients of other machines can connect.
    static boolean isOpen(Values values) {
        return hosts(values)
                .anyMatch(host -> ALL_ADDRESSES.contains(host) || !isLoopback(new InetSocketAddress(host, 0)));
    }

    /// The addresses to listen on, or words for all of them.
    private static Stream<String> hosts(Values values) {
        return values.get(Settings.BIND).stream().map(bind -> bind.startsWith("-") ? bind.substring(1) : bind);
    }

    private static boolean isLoopback(InetSocketAddress address) {
        return !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    }

    static Path dir(Values values) {
        return Path.of(values.get(Settings.DIR)).toAbsolutePath().normalize();
    }

    static Duration shutdownTimeout(Values values) {
        return Duration.ofSeconds(values.get(Settings.SHUTDOWN_TIMEOUT));
    }

    static FsyncPolicy fsyncPolicy(Values values) {
        return FsyncPolicy.valueOf(values.get(Settings.APPENDFSYNC).toUpperCase(Locale.ROOT));
    }
}
