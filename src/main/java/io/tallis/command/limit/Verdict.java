package io.tallis.command.limit;

import io.tallis.command.Reply;

/// The reply to a request that is limited, in the form of the module redis-cell. `left` is how many more would be
/// admitted now. `waitMillis` is in what time to ask again, [#NEVER] if that is of no use or not needed, `resetMillis`
/// in what time the whole limit is there again; both are told in seconds, rounded up.
record Verdict(boolean admitted, long limit, long left, long waitMillis, long resetMillis) {
    static final long NEVER = -1;

    private static final int SECOND = 1000;

    void tell(Reply reply) {
        reply.array(5);
        reply.integer(admitted ? 0 : 1);
        reply.integer(limit);
        reply.integer(Math.max(0, left));
        reply.integer(admitted || waitMillis == NEVER ? NEVER : Math.ceilDiv(waitMillis, SECOND));
        reply.integer(Math.ceilDiv(resetMillis, SECOND));
    }
}
