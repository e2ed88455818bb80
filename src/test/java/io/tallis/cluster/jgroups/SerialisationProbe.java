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

/// A process with a node that receives a serialised object from another member, and that then reads one by itself. A
/// [Trap] that is sprung is a line of the output. A process of its own, as JGroups and the JDK read their filters once.
public final class SerialisationProbe {
    static final String NETWORK = "the network";
    static final String PROCESS = "the process";
    static final String LISTENING = "still listening";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private SerialisationProbe() {}

    public static void main(String... none) throws Exception {
        TestNode.Network network = TestNode.Network.fresh();
        try (var node = new TestNode(network.udp());
                var member = TestNode.channel(network.udp())) {
            member.connect(network.cluster());
            await().atMost(PATIENCE).until(() -> node.listener.view().size() == 2);
            send(member, new ObjectMessage(null, new Trap(NETWORK)));
            send(member, new BytesMessage(null, "and now?".getBytes(UTF_8)));
            node.awaitFrames(1);
            System.out.println(LISTENING);
        }
        readOne();
        System.exit(0);
    }

    /// Unreliable, so that a message that is rejected does not hold up the next.
    private static void send(JChannel member, Message message) throws Exception {
        member.send(message.setFlag(Flag.NO_RELIABILITY, Flag.NO_FC));
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
