package io.tallis.cluster.jgroups;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.ProtocolStackConfigurator;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;
import org.jgroups.util.LazyThreadFactory;

/// The list of JGroups' protocols for one channel, read from an XML file, with the settings put in for `${cluster-...}`
/// and made safe. For one channel only, which takes properties out of it.
///
/// Whatever the file says:
/// * The transport is [BoundedUdp] or [BoundedTcp], where a [PacketGuard] seals and opens every packet. Other
///   transports, and protocols that open a port of their own, are refused: nothing would guard those.
/// * MERGE3 and GMS are those of [Workarounds].
/// * Diagnostics are off: they let anyone who reaches a port read and change the process.
/// * Multicasts of a node that is bound to the loopback address do not leave the machine.
/// * Threads of JGroups that fail are logged and do not end the process, unlike ours.
final class JGroupsStack implements ProtocolStackConfigurator {
    private static final Logger LOG = System.getLogger(JGroupsStack.class.getName());

    /// Each listens on a port of its own, or asks a program for which nothing here vouches.
    private static final Set<String> UNGUARDED =
            Set.of("FD_SOCK", "FD_SOCK2", "FD_HOST", "MPING", "BPING", "TCPGOSSIP", "pbcast.STATE_SOCK");

    private static final Set<String> OTHER_ENCRYPTION = Set.of("SYM_ENCRYPT", "ASYM_ENCRYPT", "SSL_KEY_EXCHANGE");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(cluster-[a-z-]+)}");
    private static final String LIBRARY = "org.jgroups.protocols.";

    private final JGroupsSettings settings;
    private final PacketGuard guard;
    private final XmlConfigurator file;

    private JGroupsStack(JGroupsSettings settings, PacketGuard guard, XmlConfigurator file) {
        this.settings = settings;
        this.guard = guard;
        this.file = file;
    }

    /// Throws [TransportException] for what an operator has to change.
    static JGroupsStack of(JGroupsSettings settings, PacketGuard guard) {
        requireWhereabouts(settings);
        var stack = new JGroupsStack(settings, guard, read(settings.stack()));
        stack.fill();
        stack.harden();
        return stack;
    }

    private static void requireWhereabouts(JGroupsSettings settings) {
        if (settings.stack().equals("tcp") && settings.seeds().isEmpty()) {
            throw new TransportException("cluster-stack tcp needs cluster-seeds");
        }
        if (settings.stack().equals("k8s") && settings.dns().isEmpty()) {
            throw new TransportException("cluster-stack k8s needs cluster-dns");
        }
        if (settings.stack().equals("udp") && !isMulticast(settings.multicast().getHostString())) {
            throw new TransportException("cluster-multicast "
                    + settings.multicast().getHostString() + " is no multicast address, such as 239.77.1.1");
        }
        if (settings.port() == 0 && !settings.stack().equals("udp")) {
            throw new TransportException("cluster-port must be a port that the others know, not 0");
        }
        // JGroups would take an address that can be reached from outside.
        if (JGroupsSettings.picked(settings.bind()) == null) {
            throw new TransportException("cluster-bind " + settings.bind()
                    + " picks no address of this machine: give one, or a word such as site_local that picks one");
        }
    }

    private static boolean isMulticast(String host) {
        try {
            return InetAddress.getByName(host).isMulticastAddress();
        } catch (UnknownHostException _) {
            return false;
        }
    }

    private static XmlConfigurator read(String stack) {
        try (InputStream xml = open(stack)) {
            return XmlConfigurator.getInstance(xml);
        } catch (NoSuchFileException _) {
            throw new TransportException("cluster-stack is udp, tcp, k8s or a file, and there is no file " + stack);
        } catch (IOException unreadable) {
            throw new TransportException("cannot read cluster-stack " + stack + ": " + unreadable.getMessage());
        }
    }

    private static InputStream open(String stack) throws IOException {
        if (!JGroupsSettings.BUILT_IN_STACKS.contains(stack)) {
            return Files.newInputStream(Path.of(stack));
        }
        InputStream packed = JGroupsStack.class.getResourceAsStream("cluster-" + stack + ".xml");
        if (packed == null) {
            throw new IOException("the program lacks it");
        }
        return packed;
    }

    private void fill() {
        Map<String, String> values = values();
        for (ProtocolConfiguration protocol : file.getProtocolStack()) {
            protocol.getProperties().replaceAll((_, text) -> filled(text, values));
        }
    }

    private Map<String, String> values() {
        Map<String, String> values = new HashMap<>();
        values.put("cluster-bind", settings.bind());
        values.put("cluster-port", Integer.toString(settings.port()));
        values.put("cluster-multicast-host", settings.multicast().getHostString());
        values.put(
                "cluster-multicast-port", Integer.toString(settings.multicast().getPort()));
        values.put(
                "cluster-seeds",
                settings.seeds().stream().map(JGroupsStack::seed).collect(Collectors.joining(",")));
        values.put("cluster-dns", settings.dns());
        return values;
    }

    private static String seed(InetSocketAddress seed) {
        return seed.getHostString() + "[" + seed.getPort() + "]";
    }

    private String filled(String text, Map<String, String> values) {
        return PLACEHOLDER.matcher(text).replaceAll(found -> {
            String value = values.get(found.group(1));
            if (value == null) {
                throw new TransportException("cluster-stack " + settings.stack() + ": " + found.group() + " is none of "
                        + String.join(", ", values.keySet()));
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private void harden() {
        List<ProtocolConfiguration> protocols = file.getProtocolStack();
        if (protocols.isEmpty()) {
            throw new TransportException("cluster-stack " + settings.stack() + " lists no protocols");
        }
        Map<String, String> transport = protocols.getFirst().getProperties();
        transport.put("diag.enabled", "false");
        // Without an address JGroups picks one of the machine's, which other machines may reach.
        requireKey(transport.computeIfAbsent("bind_addr", _ -> settings.bind()));
        protocols.set(0, guarded(protocols.getFirst()));
        protocols.subList(1, protocols.size()).replaceAll(this::checked);
    }

    private void requireKey(String bind) {
        InetAddress address = JGroupsSettings.picked(bind);
        boolean isOpen = address == null || !address.isLoopbackAddress();
        if (isOpen && settings.keyFile() == null && !settings.insecure()) {
            throw new TransportException("cluster-bind " + bind + " can be reached from other machines: give all nodes"
                    + " a cluster-key-file, made by tallis keygen, or say cluster-insecure yes to let everyone in who"
                    + " reaches them");
        }
    }

    private ProtocolConfiguration guarded(ProtocolConfiguration transport) {
        return switch (name(transport)) {
            case "UDP" -> new ProtocolConfiguration(BoundedUdp.class.getName(), transport.getProperties());
            case "TCP_NIO2" -> new ProtocolConfiguration(BoundedTcp.class.getName(), transport.getProperties());
            default ->
                throw refused(transport, "is no transport that Tallis can protect: the first must be UDP or TCP_NIO2");
        };
    }

    private ProtocolConfiguration checked(ProtocolConfiguration protocol) {
        String name = name(protocol);
        if (UNGUARDED.contains(name)) {
            throw refused(protocol, "opens a port of its own, which no key protects: leave it out");
        }
        if (OTHER_ENCRYPTION.contains(name)) {
            throw refused(protocol, "is not needed: Tallis encrypts by cluster-key-file");
        }
        return switch (name) {
            case "MERGE3" -> new ProtocolConfiguration(Workarounds.Merge.class.getName(), protocol.getProperties());
            case "pbcast.GMS" ->
                new ProtocolConfiguration(Workarounds.Membership.class.getName(), protocol.getProperties());
            default -> protocol;
        };
    }

    private TransportException refused(ProtocolConfiguration protocol, String why) {
        return new TransportException(
                "cluster-stack " + settings.stack() + ": " + protocol.getProtocolName() + " " + why);
    }

    /// A protocol's name, however a file spells it.
    private static String name(ProtocolConfiguration protocol) {
        String name = protocol.getProtocolName();
        return name.startsWith(LIBRARY) ? name.substring(LIBRARY.length()) : name;
    }

    @Override
    public String getProtocolStackString() {
        return file.getProtocolStackString();
    }

    @Override
    public List<ProtocolConfiguration> getProtocolStack() {
        return file.getProtocolStack();
    }

    /// Called for each protocol, from the transport upwards, when it has its properties and before it does anything.
    @Override
    public void afterCreation(Protocol protocol) {
        if (protocol instanceof TP transport) {
            transport.setThreadFactory(new LoggedThreads());
        }
        switch (protocol) {
            case BoundedUdp udp -> {
                udp.guard(guard);
                if (udp.getBindAddress().isLoopbackAddress()) {
                    udp.setIpTTL(0);
                }
            }
            case BoundedTcp tcp -> tcp.guard(guard);
            default -> {}
        }
    }

    /// Threads of JGroups. Their failure is not ours: the cluster notices if something is missing, and counts are safe.
    private static final class LoggedThreads extends LazyThreadFactory {
        LoggedThreads() {
            super("jgroups", true, true);
        }

        @Override
        public Thread newThread(Runnable body, String name) {
            Thread thread = super.newThread(body, name);
            thread.setUncaughtExceptionHandler((failed, why) -> LOG.log(
                    Level.ERROR,
                    "The thread " + failed.getName() + " of JGroups failed; restart this node if it does not see the"
                            + " others",
                    why));
            return thread;
        }
    }
}
