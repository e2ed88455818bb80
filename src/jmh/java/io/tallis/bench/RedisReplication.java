package io.tallis.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/// A master, which alone takes writes, and its replicas.
record RedisReplication(RedisServer server) implements Replication {
    /// A master would else wait some seconds for more replicas before it fills one.
    private static final List<String> OPTIONS =
            List.of("--enable-debug-command", "local", "--repl-diskless-sync-delay", "0");

    @Override
    public ServerKind next(List<Subject> members) {
        List<String> options = new ArrayList<>(OPTIONS);
        if (!members.isEmpty()) {
            String port = Integer.toString(members.getFirst().server().port());
            options.addAll(List.of("--replicaof", "127.0.0.1 " + port));
        }
        return new ServerWithOptions(server, List.copyOf(options));
    }

    @Override
    public Replication quiet() {
        return this;
    }

    @Override
    public List<Subject> writers(List<Subject> members) {
        return List.of(members.getFirst());
    }

    @Override
    public boolean joined(Subject member) {
        Admin admin = member.server().admin();
        return admin.info("role").equals("master")
                || admin.info("master_link_status").equals("up");
    }

    @Override
    public long bytesToJoin(Subject member) {
        return Long.parseLong(member.server().admin().info("total_net_repl_input_bytes"));
    }

    @Override
    public OptionalDouble secondsOfTransfer(Subject member) {
        return OptionalDouble.empty();
    }
}
