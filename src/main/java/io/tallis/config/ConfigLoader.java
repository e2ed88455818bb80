package io.tallis.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Loads the settings of a start: the file, overridden by the environment, overridden by the command line.
public final class ConfigLoader {
    static final String VARIABLE_PREFIX = "TALLIS_";

    /// Variables for `scripts/tallis`.
    private static final Set<String> NOT_SETTINGS = Set.of("TALLIS_JAVA_OPTS");

    /// Variables that Kubernetes sets in every container of a namespace with a service called `tallis`.
    private static final Pattern SERVICE_LINK = Pattern.compile(".*_SERVICE_(HOST|PORT.*)|.*_PORT_\\d+_(TCP|UDP).*");

    private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp)://.*");

    private ConfigLoader() {}

    /// Throws [ConfigException] for an unknown setting, a bad value or an unreadable file.
    public static Config load(@Nullable Path file, Map<String, String> environment, List<Given> options) {
        List<Given> all = new ArrayList<>();
        List<Given> users = new ArrayList<>();
        if (file != null) {
            ConfigFile.read(file).forEach(given -> (given.definesUser() ? users : all).add(given));
        }
        all.addAll(fromEnvironment(environment));
        all.addAll(options);
        return new Config(applied(all), file, users);
    }

    /// Reports all mistakes at once, one line each, so that an operator need not find them one start at a time.
    ///
    /// Settings of Redis are checked last: whether their values are true depends on the other settings.
    private static Values applied(List<Given> all) {
        List<String> wrong = new ArrayList<>();
        Values values = Values.defaults();
        for (Given given : all) {
            try {
                values = given.isRedisSetting() ? values : given.applyTo(values);
            } catch (ConfigException bad) {
                wrong.add(String.valueOf(bad.getMessage()));
            }
        }
        for (Given given : all) {
            try {
                given.requireTrueIfRedisSetting(values);
            } catch (ConfigException bad) {
                wrong.add(String.valueOf(bad.getMessage()));
            }
        }
        if (!wrong.isEmpty()) {
            throw new ConfigException(String.join("\n", wrong));
        }
        return values;
    }

    private static List<Given> fromEnvironment(Map<String, String> environment) {
        List<Given> given = new ArrayList<>();
        environment.forEach((variable, value) -> {
            if (isSetting(variable, value)) {
                String name = variable.substring(VARIABLE_PREFIX.length())
                        .replace('_', '-')
                        .toLowerCase(Locale.ROOT);
                given.add(new Given(name, List.of(value), "environment variable " + variable));
            }
        });
        return given;
    }

    private static boolean isSetting(String variable, String value) {
        return variable.startsWith(VARIABLE_PREFIX)
                && !NOT_SETTINGS.contains(variable)
                && !SERVICE_LINK.matcher(variable).matches()
                && !SERVICE_ADDRESS.matcher(value).matches();
    }
}
