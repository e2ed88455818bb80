package io.tallis.cluster.jgroups;

import org.jgroups.Message;
import org.jgroups.Message.Flag;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.MessageBatch;

/// Which thread takes a message up the stack, once it was received: for one that is not reliable, the one that
/// received it.
///
/// Those are changes of counters, beats and questions for lost frames, most of what a cluster sends. They need no order
/// and end in the inbox of the replicator, where nobody waits; so they are spared the way through a pool of threads,
/// which on a machine at work costs more than the network does. All else may wait for a lock or for another message and
/// goes by the pool.
public final class Delivery extends MaxOneThreadPerSender {
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
