package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Message.Flag;
import org.jgroups.ObjectMessage;

/// A process whose node is sent a serialised object by a stranger with the same stack, and which then reads one by
/// itself. A [Trap] that is sprung is a line of the output.
///
/// A process of its own, as both JGroups and the JDK look at what is allowed only once.
public final class SerialisationProbe {
    static final String NETWORK = "the network";
    static final String PROCESS = "the process";
    static final String LISTENING = "still listening";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private SerialisationProbe() {}

    public static void main(String... none) throws Exception {
        TestNode.Network network = TestNode.Network.fresh();
        try (var node = new TestNode(network.udp());
                var stranger = new JChannel(Stack.of(network.udp()))) {
            stranger.connect(network.cluster());
            await().atMost(PATIENCE).until(() -> node.listener.view().size() == 2);
            send(stranger, new ObjectMessage(null, new Trap(NETWORK)));
            send(stranger, new BytesMessage(null, "and now?".getBytes(UTF_8)));
            node.awaitFrames(1);
            System.out.println(LISTENING);
        }
        readOne();
        System.exit(0);
    }

    /// Each on its way by itself, so that one that is refused holds up no other.
    private static void send(JChannel stranger, Message message) throws Exception {
        stranger.send(message.setFlag(Flag.NO_RELIABILITY, Flag.NO_FC));
    }

    private static void readOne() throws IOException, ClassNotFoundException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Trap(PROCESS));
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            in.readObject();
        } catch (InvalidClassException refused) {
            System.out.println(refused.getMessage());
        }
    }
}
