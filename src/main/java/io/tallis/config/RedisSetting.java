package io.tallis.config;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A setting of Redis that is none here, because only one value of it would be true. Clients may ask for it, and
/// operators may say it as long as they say what is true; else `instead` tells them what to do.
public enum RedisSetting {
    APPENDONLY("appendonly", "yes", "whether counters are kept on disk is what 'persistence' says"),
    SAVE("save", "", "every change is in the journal before its reply; run BGSAVE by a timer for copies"),
    MAXMEMORY_POLICY("maxmemory-policy", "noeviction", "counters are never evicted; see 'maxmemory'"),
    DATABASES("databases", "1", "there is one database, number 0"),
    DAEMONIZE("daemonize", "no", "have a service manager run it in the background"),
    CLUSTER_ENABLED("cluster-enabled", "no", "this is no Redis Cluster"),
    NOTIFY_KEYSPACE_EVENTS("notify-keyspace-events", "", "there are no keyspace events"),
    REPLICAOF("replicaof", "", "nodes with one 'cluster-name' find each other, and each takes writes"),
    SLAVEOF("slaveof", "", "nodes with one 'cluster-name' find each other, and each takes writes"),
    REPLICA_READ_ONLY("replica-read-only", "yes", "there are no replicas that could be written to"),
    SLAVE_READ_ONLY("slave-read-only", "yes", "there are no replicas that could be written to");

    private final String settingName;
    private final String truth;
    private final String instead;

    RedisSetting(String settingName, String truth, String instead) {
        this.settingName = settingName;
        this.truth = truth;
        this.instead = instead;
    }

    public static @Nullable RedisSetting named(String name) {
        for (RedisSetting setting : values()) {
            if (setting.settingName.equals(name)) {
                return setting;
            }
        }
        return null;
    }

    public String settingName() {
        return settingName;
    }

    public String option() {
        return "--" + settingName;
    }

    /// The one value that is true beside these of ours.
    public String text(Values values) {
        return this == APPENDONLY ? values.text(Settings.PERSISTENCE) : truth;
    }

    /// Throws [ConfigException] when an operator says what is not so.
    void requireTrue(List<String> words, String origin, Values values) {
        String said = String.join(" ", words);
        if (!isTrue(said, values)) {
            throw new ConfigException(origin + ": " + settingName + " " + refusal(said, values));
        }
    }

    boolean isTrue(String said, Values values) {
        return said.toLowerCase(Locale.ROOT).equals(text(values));
    }

    /// Why it cannot be what somebody says, and what to do instead.
    String refusal(String said, Values values) {
        return "can only be '" + text(values) + "' here, not '" + said + "': " + instead;
    }
}
