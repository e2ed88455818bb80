package io.tallis.cluster.jgroups;

import org.jgroups.Message;
import org.jgroups.Message.Flag;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.MessageBatch;

/// Passes unreliable messages up the stack on the thread that received them; all others take a thread of the pool.
///
/// Unreliable messages are deltas, beats and requests for lost frames: most of the traffic. They need no order and end
/// in the replicator's mailbox, which never blocks, so the change of threads, which costs more than the network does,
/// is left out. Reliable messages may wait for a lock or for another message.
public final class ReceiverThreadPolicy extends MaxOneThreadPerSender {
    @Override
    public boolean process(Message message, boolean outOfBand) {
        if (outOfBand || !isUnreliable(message)) {
            return super.process(message, outOfBand);
        }
        tp.passMessageUp(message, true, message.getDest() == null, true);
        return true;
    }

    @Override
    public boolean process(MessageBatch batch, boolean outOfBand) {
        if (outOfBand || !areUnreliable(batch)) {
            return super.process(batch, outOfBand);
        }
        tp.passBatchUp(batch, true, true);
        return true;
    }

    private static boolean areUnreliable(MessageBatch batch) {
        for (Message message : batch) {
            if (!isUnreliable(message)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUnreliable(Message message) {
        return message.isFlagSet(Flag.NO_RELIABILITY);
    }
}
