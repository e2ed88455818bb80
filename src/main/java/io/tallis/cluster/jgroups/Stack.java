package io.tallis.cluster.jgroups;

import java.io.IOException;
import java.io.InputStream;
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
import javax.crypto.SecretKey;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.ProtocolStackConfigurator;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.protocols.SYM_ENCRYPT;
import org.jgroups.protocols.UDP;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;

/// The protocols of a channel, as an XML file lists them, with the settings put in where it says `${cluster-...}`.
/// Good for one channel, which takes properties out of it.
///
/// Whatever the file says: diagnostics are off; MERGE3 is [SteadyMerge], GMS [PatientGms], and TCP_NIO2 [FreshTcp];
/// multicasts of a node that is bound to the loopback address stay on the machine, and its sockets that look for
/// failures are bound there too; and with a key all messages are encrypted, right above the transport, headers too, so
/// that nobody without the key is listened to. Only the sockets that look for failures are open to all, and tell
/// nothing but that a process is there.
final class Stack implements ProtocolStackConfigurator {
    private static final Set<String> OTHER_ENCRYPTION = Set.of("SYM_ENCRYPT", "ASYM_ENCRYPT");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(cluster-[a-z-]+)}");
    private static final String LIBRARY = "org.jgroups.protocols.";
    private static final int NONCE_BYTES = 12;

    private final JGroupsSettings settings;
    private final @Nullable SecretKey key;
    private final XmlConfigurator file;

    private Stack(JGroupsSettings settings, @Nullable SecretKey key, XmlConfigurator file) {
        this.settings = settings;
        this.key = key;
        this.file = file;
    }

    /// Throws [TransportException] for what an operator has to change.
    static Stack of(JGroupsSettings settings) {
        requireWhereabouts(settings);
        Path keyFile = settings.keyFile();
        var stack = new Stack(settings, keyFile == null ? null : ClusterKey.read(keyFile), read(settings.stack()));
        stack.fill();
        stack.harden();
        if (keyFile != null) {
            stack.encrypt();
        }
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
        InputStream packed = Stack.class.getResourceAsStream("cluster-" + stack + ".xml");
        if (packed == null) {
            throw new IOException("it is missing in the program");
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
        values.put("cluster-seeds", settings.seeds().stream().map(Stack::seed).collect(Collectors.joining(",")));
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

    /// Diagnostics would let whoever reaches the port look into the process and change it. Without an address to
    /// bind to, JGroups picks one that can be reached from outside.
    private void harden() {
        if (file.getProtocolStack().isEmpty()) {
            throw new TransportException("cluster-stack " + settings.stack() + " lists no protocols");
        }
        Map<String, String> transport = file.getProtocolStack().getFirst().getProperties();
        transport.put("diag.enabled", "false");
        transport.putIfAbsent("bind_addr", settings.bind());
        file.getProtocolStack().replaceAll(Stack::mended);
    }

    private static ProtocolConfiguration mended(ProtocolConfiguration protocol) {
        return switch (name(protocol)) {
            case "MERGE3" -> new ProtocolConfiguration(SteadyMerge.class.getName(), protocol.getProperties());
            case "pbcast.GMS" -> new ProtocolConfiguration(PatientGms.class.getName(), protocol.getProperties());
            case "TCP_NIO2" -> new ProtocolConfiguration(FreshTcp.class.getName(), protocol.getProperties());
            default -> protocol;
        };
    }

    /// A protocol's name, however a file spells it.
    private static String name(ProtocolConfiguration protocol) {
        String name = protocol.getProtocolName();
        return name.startsWith(LIBRARY) ? name.substring(LIBRARY.length()) : name;
    }

    private void encrypt() {
        List<ProtocolConfiguration> protocols = file.getProtocolStack();
        for (ProtocolConfiguration protocol : protocols) {
            if (OTHER_ENCRYPTION.contains(name(protocol))) {
                throw new TransportException("cluster-stack " + settings.stack() + " has " + protocol.getProtocolName()
                        + ", which does not go with cluster-key-file");
            }
        }
        Map<String, String> cipher =
                Map.of("sym_algorithm", ClusterKey.ALGORITHM, "sym_iv_length", Integer.toString(NONCE_BYTES));
        protocols.add(1, new ProtocolConfiguration("SYM_ENCRYPT", cipher));
        // The cipher covers contents only: this makes a content of the whole message.
        protocols.add(2, new ProtocolConfiguration("SERIALIZE", Map.of()));
    }

    @Override
    public String getProtocolStackString() {
        return file.getProtocolStackString();
    }

    @Override
    public List<ProtocolConfiguration> getProtocolStack() {
        return file.getProtocolStack();
    }

    /// Called for each protocol, from the transport upwards, when it has its attributes and does nothing yet.
    @Override
    public void afterCreation(Protocol protocol) {
        switch (protocol) {
            case UDP udp when udp.getBindAddress().isLoopbackAddress() -> udp.setIpTTL(0);
            // Without an address of its own it would listen on all that the machine has.
            case FD_SOCK2 sockets
            when sockets.getBindAddress() == null ->
                sockets.setBindAddress(sockets.getTransport().getBindAddress());
            case SYM_ENCRYPT cipher when key != null -> cipher.setSecretKey(key);
            default -> {}
        }
    }
}
