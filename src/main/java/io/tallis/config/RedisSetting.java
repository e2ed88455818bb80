package io.tallis.config;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The settings of Redis that Tallis accepts for compatibility only: one value of each describes what Tallis does, and
/// any other is refused with advice.
public enum RedisSetting {
    APPENDONLY("appendonly", "yes", "use 'persistence' to keep counters on disk or not"),
    SAVE("save", "", "every change is journalled before its reply; schedule BGSAVE for backups"),
    MAXMEMORY_POLICY("maxmemory-policy", "noeviction", "counters are never evicted; see 'maxmemory'"),
    DATABASES("databases", "1", "there is only database 0"),
    DAEMONIZE("daemonize", "no", "run it in the background with a service manager"),
    CLUSTER_ENABLED("cluster-enabled", "no", "this is not a Redis Cluster"),
    ACL_PUBSUB_DEFAULT("acl-pubsub-default", "resetchannels", "give users channels with '&pattern' or 'allchannels'"),
    REPLICAOF("replicaof", "", "nodes with the same 'cluster-name' replicate to each other, and all take writes"),
    SLAVEOF("slaveof", "", "nodes with the same 'cluster-name' replicate to each other, and all take writes"),
    REPLICA_READ_ONLY("replica-read-only", "yes", "there are no read-only replicas"),
    SLAVE_READ_ONLY("slave-read-only", "yes", "there are no read-only replicas");

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

    /// The only accepted value; `appendonly` follows `persistence`.
    public String text(Values values) {
        return this == APPENDONLY ? values.text(Settings.PERSISTENCE) : truth;
    }

    /// Throws [ConfigException] for any other value.
    void requireTrue(List<String> words, String origin, Values values) {
        String value = String.join(" ", words);
        if (!isTrue(value, values)) {
            throw new ConfigException(origin + ": " + settingName + " " + refusal(value, values));
        }
    }

    boolean isTrue(String value, Values values) {
        return value.toLowerCase(Locale.ROOT).equals(text(values));
    }

    /// Why the value is refused, and what to do instead.
    String refusal(String value, Values values) {
        return "can only be '" + text(values) + "' here, not '" + value + "': " + instead;
    }
}
