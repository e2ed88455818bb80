package io.tallis.server;

import io.tallis.command.Client;
import io.tallis.command.Subscriptions.Kind;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.SlowLog;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import io.tallis.command.pubsub.PubSub;
import io.tallis.command.server.MemoryUse;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.http.Health;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.checkpoint.CheckpointStatus;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.Exposition;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;
import java.util.List;

/// The page `/metrics`. What Redis has too is named as by redis_exporter, so that dashboards and alerts for Redis work;
/// what only Tallis has begins with `tallis_`, and what the JVM has is named as by other programs on it.
///
/// A name of redis_exporter that `promtool check metrics` does not accept is left out. `monitoring.md` lists all
/// metrics.
///
/// Runs on an event loop, so it walks over no keys: it adds up figures of partitions, of commands and of clients.
final class Metrics {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final List<String> STATES =
            List.of("loading", "joining", "held", "incomplete", "ready", "read-only", "stopping");

    private final Config config;
    private final Sources sources;
    private final ProcessStatus process = new ProcessStatus();

    /// Where the figures come from.
    record Sources(
            NodeStatus node,
            NodeHealth health,
            LoadState loadState,
            Keyspace keyspace,
            MemoryUse.Source memory,
            Persistence persistence,
            Membership membership,
            Cluster cluster,
            ClientRegistry clients,
            PubSub pubSub,
            SlowLog slowLog,
            NetworkStats network,
            DurationHistogram eventLoopDelays,
            CommandFacts facts,
            CommandStats commands,
            GarbageCollectors collectors) {}

    Metrics(Config config, Sources sources) {
        this.config = config;
        this.sources = sources;
    }

    /// Has the JVM load the classes that a page needs.
    void prepare() {
        sources.collectors.find();
        page();
    }

    /// The page as it is now.
    String page() {
        Exposition page = new Exposition();
        addNode(page);
        addProcess(page);
        addClients(page);
        addCommands(page);
        addKeys(page);
        addMemory(page, sources.memory.now());
        PersistenceSection persistence = sources.persistence.now(sources.loadState);
        addPersistence(page, persistence);
        addJournal(page, persistence.journal());
        addCheckpoints(page, persistence.journal().checkpoint());
        addCluster(page);
        return page.toString();
    }

    private void addNode(Exposition page) {
        NodeStatus node = sources.node;
        Health health = sources.health.now();
        page.flag("redis_up", "1: the node answers.", true);
        page.gauge("redis_instance_info", "1, with facts about the node as labels.")
                .add(
                        1,
                        "redis_version",
                        CommandFacts.REDIS_VERSION,
                        "redis_mode",
                        "standalone",
                        "role",
                        "master",
                        "tcp_port",
                        Integer.toString(node.port()),
                        "maxmemory_policy",
                        "noeviction");
        page.gauge("tallis_node_info", "1, with facts about the node as labels.")
                .add(
                        1,
                        "name",
                        node.identity().name(),
                        "uuid",
                        node.identity().uuid().toString(),
                        "version",
                        Version.TEXT,
                        "java_version",
                        Runtime.version().toString(),
                        "transport",
                        node.transport());
        page.gauge("redis_uptime_in_seconds", "Seconds since the process started.", node.upSeconds());
        page.gauge("redis_start_time_seconds", "When the process started, in Unix time.", node.startedEpochSeconds());
        page.flag(
                "tallis_ready",
                "1 if the node serves all data and accepts changes, as `/health` says.",
                health.isWell());
        Exposition.Metric states =
                page.gauge("tallis_node_state", "1 for the state that `/health` tells, 0 for the others.");
        STATES.forEach(each -> states.add(each.equals(health.state()) ? 1 : 0, "state", each));
        page.flag(
                "redis_loading_dump_file",
                "1 if the node loads or joins and answers LOADING.",
                sources.loadState.loading());
    }

    private void addProcess(Exposition page) {
        ProcessStatus.CpuSeconds cpu = process.cpu();
        page.counter("redis_cpu_sys_seconds_total", "Processor time in the kernel.", cpu.system());
        page.counter("redis_cpu_user_seconds_total", "Processor time outside of the kernel.", cpu.user());
        sources.collectors.addTo(page);
        page.gauge(
                "tallis_event_loops",
                "Event loops, which are the threads that run commands.",
                sources.node.eventLoops());
        page.histogram(
                "tallis_event_loop_delay_seconds",
                "How late event loops ran a task, measured ten times a second in each: a request waits as long.",
                sources.eventLoopDelays);
    }

    private void addClients(Exposition page) {
        NetworkStats network = sources.network;
        page.gauge("redis_connected_clients", "Connected clients.", sources.clients.count());
        page.gauge(
                "redis_blocked_clients",
                "Clients whose command waits, as WAIT does.",
                sources.clients.unordered().stream().filter(Client::suspended).count());
        page.gauge(
                "redis_config_maxclients",
                "The setting maxclients.",
                config.values().get(Settings.MAXCLIENTS));
        page.counter(
                "redis_connections_received_total", "Connections of clients.", network.total(NetworkEvent.RECEIVED));
        page.counter(
                "redis_rejected_connections_total",
                "Connections that were refused, by maxclients or protected-mode.",
                network.total(NetworkEvent.REJECTED));
        Exposition.Metric closed = page.counter(
                "tallis_clients_closed_total", "Connections that the node closed, by the limit that they met.");
        closed.add(network.total(NetworkEvent.OUTPUT_LIMIT), "limit", "output");
        closed.add(network.total(NetworkEvent.QUERY_LIMIT), "limit", "query");
        closed.add(network.total(NetworkEvent.EVICTED), "limit", "clients_memory");
        page.counter(
                "tallis_protocol_errors_total",
                "Requests that are not in the Redis protocol.",
                network.total(NetworkEvent.PROTOCOL_ERROR));
        page.gauge("redis_pubsub_channels", "Channels that clients listen to.", sources.pubSub.count(Kind.CHANNEL));
        page.gauge("redis_pubsub_patterns", "Patterns that clients listen to.", sources.pubSub.count(Kind.PATTERN));
        page.counter(
                "redis_net_input_bytes_total",
                "Bytes that clients have sent, of the Redis protocol and of HTTP, without TLS around them.",
                network.total(NetworkEvent.BYTES_IN));
        page.counter(
                "redis_net_output_bytes_total",
                "Bytes sent to clients, of the Redis protocol and of HTTP, without TLS around them.",
                network.total(NetworkEvent.BYTES_OUT));
    }

    /// A command has samples from its first call on.
    private void addCommands(Exposition page) {
        CommandStats stats = sources.commands;
        List<CommandSpec> used = sources.facts.all().stream()
                .filter(spec -> stats.isUsed(spec.id()))
                .toList();
        List<CommandStats.Totals> totals =
                used.stream().map(spec -> stats.of(spec.id())).toList();
        page.counter("redis_commands_processed_total", "Calls of all commands.", stats.calls());
        Exposition.Metric calls = page.counter("redis_commands_total", "Calls by command.");
        each(used, totals, (cmd, each) -> calls.add(each.calls(), "cmd", cmd));
        Exposition.Metric seconds = page.counter(
                "redis_commands_duration_seconds_total",
                "Time of all calls by command. Of a fast command one call in sixteen is timed, and counts as sixteen.");
        each(used, totals, (cmd, each) -> seconds.add(each.nanos() / NANOS_PER_SECOND, "cmd", cmd));
        Exposition.Metric rejected = page.counter(
                "redis_commands_rejected_calls_total", "Calls that were refused before they ran, by command.");
        each(used, totals, (cmd, each) -> rejected.add(each.rejected(), "cmd", cmd));
        Exposition.Metric failed =
                page.counter("redis_commands_failed_calls_total", "Calls that failed while they ran, by command.");
        each(used, totals, (cmd, each) -> failed.add(each.failed(), "cmd", cmd));
        Exposition.Metric latencies = page.histogram(
                "redis_commands_latencies_usec", "Duration of calls in microseconds by command, timed as above.");
        for (CommandSpec spec : used) {
            double micros = stats.of(spec.id()).nanos() / NANOS_PER_MICRO;
            latencies.addMicros(stats.histogram(spec.id()), micros, "cmd", spec.fullName());
        }
        page.gauge("redis_slowlog_length", "Entries of SLOWLOG.", sources.slowLog.length());
        Exposition.Metric errors = page.counter("redis_errors_total", "Error replies by their first word.");
        stats.errors().forEach((word, count) -> errors.add(count, "err", word));
        page.counter("redis_keyspace_hits_total", "Keys that were read and were there.", stats.hits());
        page.counter("redis_keyspace_misses_total", "Keys that were read and were not there.", stats.misses());
    }

    private interface Sample {
        void of(String command, CommandStats.Totals totals);
    }

    private static void each(List<CommandSpec> commands, List<CommandStats.Totals> totals, Sample sample) {
        for (int i = 0; i < commands.size(); i++) {
            sample.of(commands.get(i).fullName(), totals.get(i));
        }
    }

    private void addKeys(Exposition page) {
        Keyspace keyspace = sources.keyspace;
        String[] db = {"db", "db0"};
        page.gauge("redis_db_keys", "Keys.").add(keyspace.keys(), db);
        page.gauge("redis_db_keys_expiring", "Keys with a deadline.").add(keyspace.dated(), db);
        page.gauge("redis_db_avg_ttl_seconds", "Average time to the deadline.")
                .add(keyspace.averageTimeToLive() / MILLIS_PER_SECOND, db);
        page.counter(
                "redis_expired_keys_total",
                "Counters that have ended by their deadline.",
                keyspace.expiry().ended());
        page.counter("redis_evicted_keys_total", "0: Tallis evicts nothing.", 0);
        page.gauge(
                "tallis_cells",
                "Counters in memory, deleted ones and those of both types of a key included.",
                keyspace.cells());
        page.gauge("tallis_deleted_cells", "Tombstones: deleted counters that are in memory.", keyspace.deletedCells());
        page.counter(
                "tallis_dropped_cells_total",
                "Expired and deleted counters that have left memory.",
                keyspace.expiry().dropped());
        page.gauge(
                "tallis_replica_ids",
                "Sessions, each one life of a process, and folds that counters have shards of.",
                keyspace.replicas().count());
    }

    private void addMemory(Exposition page, MemoryUse use) {
        MemoryUse.Counters counters = use.counters();
        page.gauge("redis_memory_used_bytes", "What counters take.", counters.bytes());
        page.gauge(
                "redis_memory_max_bytes",
                "The limit in force of what counters take: maxmemory, or without it 80 % of the heap.",
                use.limit());
        page.gauge(
                "redis_config_maxmemory",
                "The setting maxmemory.",
                config.values().get(Settings.MAXMEMORY));
        page.gauge("redis_memory_used_peak_bytes", "The most that counters took.", counters.peak());
        page.gauge(
                "redis_memory_used_overhead_bytes", "The part of it for tables that find counters.", counters.index());
        page.gauge("redis_memory_used_dataset_bytes", "The rest of it.", counters.dataset());
        page.gauge(
                "redis_mem_fragmentation_ratio",
                "Memory kept for counters by the used part of it; 1.25 when a fifth is free.",
                counters.fragmentation());
        page.gauge("redis_mem_fragmentation_bytes", "The free part of it.", counters.free());
        page.gauge("tallis_deleted_cells_bytes", "About what tombstones take.", counters.deletedBytes());
        page.gauge(
                "tallis_ended_sessions_bytes",
                "An estimate of the memory that folding ended sessions would free.",
                counters.endedBytes());
        page.gauge("redis_mem_clients_normal", "Bytes of requests and replies that are buffered.", use.clients());
        page.gauge("redis_memory_used_rss_bytes", "The resident memory of the process.", use.resident());
        page.gauge("redis_total_system_memory_bytes", "The memory of the machine.", use.system());
        String[] heap = {"area", "heap"};
        page.gauge("jvm_memory_used_bytes", "The heap in use, garbage included.")
                .add(use.heap().used(), heap);
        page.gauge("jvm_memory_committed_bytes", "The heap that was taken from the system.")
                .add(use.heap().committed(), heap);
        page.gauge("jvm_memory_max_bytes", "The largest size of the heap.")
                .add(use.heap().max(), heap);
    }

    private void addPersistence(Exposition page, PersistenceSection now) {
        BackupStatus backups = now.backups();
        page.flag("redis_aof_enabled", "1 if there is a journal.", now.onDisk());
        page.gauge(
                "redis_rdb_changes_since_last_save", "Counters that changed since the last checkpoint.", now.changes());
        page.flag("redis_rdb_bgsave_in_progress", "1 while a backup is made.", backups.running());
        page.gauge(
                "redis_rdb_last_save_timestamp_seconds",
                "When the last backup was made, in Unix time; the start of the process before the first.",
                backups.lastEpochSeconds());
        page.flag("redis_rdb_last_bgsave_status", "0 if the last backup failed.", !backups.lastFailed());
    }

    private void addJournal(Exposition page, JournalStatus journal) {
        page.flag(
                "redis_aof_last_write_status",
                "0 while changes are refused (MISCONF), because the journal's disk fails or hangs.",
                journal.refusal() == null);
        page.counter("tallis_journal_failures_total", "Failures of the journal's disk.", journal.failures());
        page.histogram("tallis_journal_sync_seconds", "How long syncs of the journal took.", journal.syncs());
        page.counter("tallis_journal_slow_syncs_total", "Syncs that took longer than a second.", journal.slowSyncs());
        page.gauge(
                "tallis_journal_last_sync_age_seconds",
                "The time since the last sync; about a second at most with appendfsync everysec, while changes come.",
                Math.max(0, journal.lastSyncMillisAgo()) / MILLIS_PER_SECOND);
        page.gauge("tallis_journal_unsynced_bytes", "Written to the journal and not synced.", journal.bytesAtRisk());
        page.gauge("redis_aof_buffer_length", "Bytes that wait to be written to the journal.", journal.bytesWaiting());
        page.gauge(
                "tallis_journal_waiting_turns",
                "Turns, the changes of one pass of an event loop, that wait for the journal.",
                journal.turnsWaiting());
        page.gauge(
                "tallis_journal_needed_bytes",
                "Written to the journal and in no checkpoint: what a start has to replay.",
                journal.bytesNeeded());
        page.gauge("tallis_journal_bytes", "The size of the journal's files.", journal.journalBytes());
        page.gauge("tallis_journal_segments", "The number of the journal's files.", journal.segments());
    }

    private void addCheckpoints(Exposition page, CheckpointStatus checkpoint) {
        long last = checkpoint.lastEpochMillis();
        page.gauge(
                "tallis_checkpoint_age_seconds",
                "The time since the last checkpoint, or since the start. It may be long where little changes.",
                last < 0
                        ? sources.node.upSeconds()
                        : Math.max(0, sources.node.epochMillis() - last) / MILLIS_PER_SECOND);
        page.gauge(
                "tallis_checkpoint_due_bytes",
                "The setting journal-checkpoint-size: so much journal makes a checkpoint due.",
                config.values().get(Settings.JOURNAL_CHECKPOINT_SIZE));
        page.flag("redis_aof_rewrite_in_progress", "1 while a checkpoint is taken.", checkpoint.running());
        page.flag("redis_aof_rewrite_scheduled", "1 if a checkpoint is due.", checkpoint.due());
        page.flag("redis_aof_last_bgrewrite_status", "0 if the last checkpoint failed.", checkpoint.failure() == null);
        page.counter("tallis_checkpoints_total", "Checkpoints that succeeded.", checkpoint.taken());
        page.gauge(
                "tallis_checkpoint_failures",
                "Checkpoints that failed since one succeeded.",
                checkpoint.failuresInARow());
        page.gauge(
                "tallis_checkpoint_duration_seconds",
                "How long the last checkpoint took.",
                Math.max(0, checkpoint.lastMillis()) / MILLIS_PER_SECOND);
        page.gauge("redis_aof_base_size_bytes", "The size of the database of checkpoints.", checkpoint.databaseBytes());
        page.gauge(
                "tallis_database_deleted_cells_bytes",
                "About what tombstones take in the database.",
                sources.keyspace.deletedPart() * checkpoint.databaseBytes());
        page.gauge(
                "tallis_database_ended_sessions_bytes",
                "An estimate of the part of the database that folding ended sessions would free.",
                sources.keyspace.endedShards().partOfRows() * checkpoint.databaseBytes());
    }

    private void addCluster(Exposition page) {
        page.flag(
                "tallis_complete",
                "1 if the node once had all counters of its cluster.",
                sources.membership.isComplete());
        new ClusterMetrics(sources.cluster, sources.membership.replication()).addTo(page);
    }
}
