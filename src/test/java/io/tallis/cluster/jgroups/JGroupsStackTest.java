package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jgroups.JChannel;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.protocols.UDP;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JGroupsStackTest {
    private static final InetSocketAddress MULTICAST = InetSocketAddress.createUnresolved("239.1.2.3", 4567);

    private static final String UDP = BoundedUdp.class.getName();
    private static final String TCP = BoundedTcp.class.getName();

    @TempDir
    Path dir;

    @Test
    void udp_hasWhatTheSettingsSay() {
        Map<String, String> transport = properties(TestNode.stack(settings("udp")), UDP);

        assertThat(transport)
                .containsEntry("bind_addr", "127.0.0.1")
                .containsEntry("bind_port", "7811")
                .containsEntry("mcast_addr", "239.1.2.3")
                .containsEntry("mcast_port", "4567");
    }

    /// So they do not pass the first router of a network that has one.
    @Test
    void multicasts_ofAnyNode_goOneNetworkFar() {
        assertThat(properties(TestNode.stack(settings("udp")), UDP)).containsEntry("ip_ttl", "1");
    }

    @Test
    void multicasts_ofANodeBoundToTheLoopbackAddress_stayOnTheMachine() throws Exception {
        try (JChannel channel = TestNode.channel(settings("udp"))) {
            assertThat(udp(channel).getMulticastTTL()).isZero();
        }
    }

    @Test
    void multicasts_ofANodeBoundToTheLoopbackAddress_stayOnTheMachineWhateverTheFileSays() throws Exception {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP ip_ttl=\"8\"/></config>");

        try (JChannel channel = TestNode.channel(settings(file.toString()))) {
            assertThat(udp(channel).getMulticastTTL()).isZero();
        }
    }

    private static UDP udp(JChannel channel) {
        return channel.getProtocolStack().findProtocol(UDP.class);
    }

    @Test
    void tcp_hasTheSeeds() {
        assertThat(properties(TestNode.stack(settings("tcp")), "TCPPING"))
                .containsEntry("initial_hosts", "a[1],::1[2]");
    }

    @Test
    void tcp_withoutSeeds_isRefused() {
        assertThatThrownBy(() -> TestNode.stack(bare("tcp"))).hasMessage("cluster-stack tcp needs cluster-seeds");
    }

    @Test
    void k8s_withoutAName_isRefused() {
        assertThatThrownBy(() -> TestNode.stack(bare("k8s"))).hasMessage("cluster-stack k8s needs cluster-dns");
    }

    @Test
    void udp_withAnAddressThatIsNoMulticast_isRefused() {
        var settings = new JGroupsSettings(
                "shop",
                "node",
                "udp",
                "127.0.0.1",
                7811,
                List.of(),
                InetSocketAddress.createUnresolved("10.0.0.1", 5),
                "",
                null,
                false);

        assertThatThrownBy(() -> TestNode.stack(settings)).hasMessageContaining("10.0.0.1 is no multicast address");
    }

    @Test
    void bind_byAWord_isPassedToJGroups() {
        var settings = new JGroupsSettings(
                "shop", "node", "k8s", "loopback", 7811, List.of(), MULTICAST, "tallis.local", null, false);

        assertThat(properties(TestNode.stack(settings), TCP)).containsEntry("bind_addr", "loopback");
    }

    @ParameterizedTest
    @ValueSource(strings = {"match-interface:none", "match-address:256.*", "match-interface:[", "nobody.invalid"})
    void bind_thatPicksNoAddress_isRefused(String bind) {
        var settings = new JGroupsSettings("c", "n", "udp", bind, 7811, List.of(), MULTICAST, "", null, false);

        assertThatThrownBy(() -> TestNode.stack(settings))
                .isInstanceOf(TransportException.class)
                .hasMessageStartingWith("cluster-bind " + bind + " picks no address of this machine");
    }

    @Test
    void file_thatIsMissing_isNamed() {
        assertThatThrownBy(() -> TestNode.stack(settings("none.xml")))
                .hasMessageContaining("there is no file none.xml");
    }

    @Test
    void file_thatIsNoStack_isRefused() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<other/>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("cannot read cluster-stack");
    }

    @Test
    void file_withAPlaceholderThatIsNoSetting_isRefused() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP bind_addr=\"${cluster-bnid}\"/></config>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .hasMessageContaining("${cluster-bnid} is none of");
    }

    @Test
    void diagnostics_areOffWhateverTheFileSays() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP diag.enabled=\"true\"/></config>");

        assertThat(properties(TestNode.stack(settings(file.toString())), UDP)).containsEntry("diag.enabled", "false");
    }

    @Test
    void merge3_isReplacedHoweverTheFileNamesIt() throws IOException {
        Path file = Files.writeString(
                dir.resolve("x.xml"), "<config><UDP/><org.jgroups.protocols.MERGE3 max_interval=\"500\"/></config>");

        assertThat(properties(TestNode.stack(settings(file.toString())), Workarounds.Merge.class.getName()))
                .containsEntry("max_interval", "500");
    }

    /// JGroups would take an address that can be reached from outside.
    @Test
    void transport_withoutAnAddressInTheFile_isBoundWhereTheSettingSays() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP/></config>");

        assertThat(properties(TestNode.stack(settings(file.toString())), UDP)).containsEntry("bind_addr", "127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TCP", "TUNNEL", "SHARED_LOOPBACK"})
    void transport_thatPacketsCannotBeGuardedIn_isRefused(String transport) throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><" + transport + "/></config>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .hasMessageContaining(transport + " is no transport that Tallis can protect");
    }

    @ParameterizedTest
    @ValueSource(strings = {"FD_SOCK2", "org.jgroups.protocols.MPING", "pbcast.STATE_SOCK"})
    void protocol_withAPortOfItsOwn_isRefused(String protocol) throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP/><" + protocol + "/></config>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .hasMessageContaining(protocol + " opens a port of its own");
    }

    @Test
    void encryption_ofJGroups_isRefused() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP/><ASYM_ENCRYPT/></config>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .hasMessageContaining("ASYM_ENCRYPT is not needed");
    }

    @Test
    void bind_beyondTheLoopbackAddress_needsAKeyOrConsent() {
        Path key = dir.resolve("key");
        ClusterKey.generate(key, Randomness.secure());

        assertThatThrownBy(() -> TestNode.stack(bound("0.0.0.0", null, false)))
                .isInstanceOf(TransportException.class)
                .hasMessageStartingWith("cluster-bind 0.0.0.0 can be reached from other machines: give all nodes a")
                .hasMessageContaining("cluster-insecure yes");
        assertThat(TestNode.stack(bound("0.0.0.0", key, false)).getProtocolStack())
                .isNotEmpty();
        assertThat(TestNode.stack(bound("0.0.0.0", null, true)).getProtocolStack())
                .isNotEmpty();
        assertThat(TestNode.stack(bound("127.0.0.7", null, false)).getProtocolStack())
                .isNotEmpty();
    }

    @Test
    void bind_ofTheFileBeyondTheLoopbackAddress_needsAKeyToo() throws IOException {
        Path file = Files.writeString(dir.resolve("x.xml"), "<config><UDP bind_addr=\"0.0.0.0\"/></config>");

        assertThatThrownBy(() -> TestNode.stack(settings(file.toString())))
                .hasMessageStartingWith("cluster-bind 0.0.0.0 can be reached");
    }

    private static JGroupsSettings bound(String bind, @Nullable Path key, boolean insecure) {
        return new JGroupsSettings("c", "n", "udp", bind, 7811, List.of(), MULTICAST, "", key, insecure);
    }

    /// The process ends when a thread of its own fails; a library's must not do that.
    @Test
    void threads_ofJGroups_handleTheirOwnFailure() throws Exception {
        for (String stack : List.of("udp", "tcp")) {
            try (JChannel channel = TestNode.channel(settings(stack))) {
                Thread thread = channel.getProtocolStack()
                        .getTransport()
                        .getThreadFactory()
                        .newThread(() -> {}, "test");

                assertThat(thread.getUncaughtExceptionHandler()).isNotSameAs(thread.getThreadGroup());
            }
        }
    }

    /// Each of these would have a node wait for another.
    @Test
    void builtInStacks_haveNoFlowControlAndNoStateTransfer() {
        for (String stack : List.of("udp", "tcp", "k8s")) {
            assertThat(TestNode.stack(settings(stack)).getProtocolStack())
                    .extracting(ProtocolConfiguration::getProtocolName)
                    .noneMatch(name -> name.matches("(pbcast[.])?(MFC|UFC|NAKACK4|UNICAST4|STATE.*|BARRIER)"));
        }
    }

    private static Map<String, String> properties(JGroupsStack stack, String protocol) {
        return stack.getProtocolStack().stream()
                .filter(configuration -> configuration.getProtocolName().equals(protocol))
                .findFirst()
                .orElseThrow()
                .getProperties();
    }

    private static JGroupsSettings settings(String stack) {
        return settings(stack, null);
    }

    private static JGroupsSettings settings(String stack, @Nullable Path key) {
        List<InetSocketAddress> seeds =
                List.of(InetSocketAddress.createUnresolved("a", 1), InetSocketAddress.createUnresolved("::1", 2));
        return new JGroupsSettings("c", "n", stack, "127.0.0.1", 7811, seeds, MULTICAST, "pods", key, false);
    }

    private static JGroupsSettings bare(String stack) {
        return new JGroupsSettings("c", "n", stack, "127.0.0.1", 7811, List.of(), MULTICAST, "", null, false);
    }
}
