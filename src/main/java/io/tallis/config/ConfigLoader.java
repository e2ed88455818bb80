package io.tallis.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Puts together what file, environment and command line say; each overrules the one before.
public final class ConfigLoader {
    static final String VARIABLE_PREFIX = "TALLIS_";

    /// For the script that starts the server.
    private static final Set<String> NOT_SETTINGS = Set.of("TALLIS_JAVA_OPTS");

    /// Kubernetes gives these to every container beside a service that is called `tallis`.
    private static final Pattern SERVICE_LINK = Pattern.compile(".*_SERVICE_(HOST|PORT.*)|.*_PORT_\\d+_(TCP|UDP).*");

    private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp)://.*");

    private ConfigLoader() {}

    /// Throws [ConfigException] for an unknown setting, a bad value or an unreadable file.
    public static Config load(@Nullable Path file, Map<String, String> environment, List<Given> options) {
        List<Given> all = new ArrayList<>();
        if (file != null) {
            all.addAll(ConfigFile.read(file));
        }
        all.addAll(fromEnvironment(environment));
        all.addAll(options);
        return new Config(applied(all), file);
    }

    /// All that is wrong is told at once, a line each: who brings a long file should not start again for each line.
    private static Values applied(List<Given> all) {
        List<String> wrong = new ArrayList<>();
        Values values = Values.defaults();
        for (Given given : all) {
            try {
                values = given.isForeign() ? values : given.applyTo(values);
            } catch (ConfigException bad) {
                wrong.add(String.valueOf(bad.getMessage()));
            }
        }
        for (Given given : all) {
            try {
                given.requireTrueOf(values);
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
