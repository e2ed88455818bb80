package io.tallis.cli;

import io.tallis.config.ConfigException;
import io.tallis.config.Given;
import io.tallis.config.RedisSetting;
import io.tallis.config.Setting;
import io.tallis.config.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// The parsed command line: `[FILE] [--setting value ...]`, `--help` or `--version`.
record CommandLineOptions(
        boolean help, boolean version, @Nullable Path file, List<Given> settings) {
    /// Throws [ConfigException], with a message for the operator, for a command line that is malformed.
    ///
    /// The common form is parsed by hand and only the rest by picocli: picocli's class files are of a version that the
    /// ahead-of-time cache does not take, and loading them takes a third of the time of a start.
    static CommandLineOptions parse(String... arguments) {
        CommandLineOptions plain = readPlain(arguments);
        return plain != null ? plain : readAny(arguments);
    }

    /// Parses `[FILE] [--setting value ...]`; returns null for any other form, valid or not.
    static @Nullable CommandLineOptions readPlain(String... arguments) {
        Path file = null;
        List<Given> settings = new ArrayList<>();
        int i = 0;
        if (arguments.length > 0 && !arguments[0].startsWith("-")) {
            file = Path.of(arguments[i++]);
        }
        while (i < arguments.length) {
            Setting<?> setting = Settings.withOption(arguments[i]);
            int end = i + 1;
            while (end < arguments.length && !arguments[end].startsWith("--")) {
                end++;
            }
            int words = end - i - 1;
            if (setting == null || words == 0 || (words > 1 && !setting.type().severalWords())) {
                return null;
            }
            settings.add(given(setting, Arrays.copyOfRange(arguments, i + 1, end)));
            i = end;
        }
        return new CommandLineOptions(false, false, file, settings);
    }

    private static Given given(Setting<?> setting, String... words) {
        return new Given(setting.name(), List.of(words), "option " + setting.option());
    }

    static CommandLineOptions readAny(String... arguments) {
        try {
            return of(new CommandLine(spec()).parseArgs(arguments));
        } catch (UnmatchedArgumentException unknown) {
            throw unknownArgument(unknown.getUnmatched().getFirst());
        } catch (MissingParameterException missing) {
            throw missingValue(missing);
        } catch (ParameterException bad) {
            throw new ConfigException(String.valueOf(bad.getMessage()));
        }
    }

    private static CommandLineOptions of(ParseResult typed) {
        List<Given> settings = new ArrayList<>();
        for (Setting<?> setting : Settings.all()) {
            if (typed.hasMatchedOption(setting.option())) {
                String[] words = typed.matchedOptionValue(setting.option(), new String[0]);
                settings.add(given(setting, words));
            }
        }
        for (RedisSetting setting : RedisSetting.values()) {
            if (typed.hasMatchedOption(setting.option())) {
                String[] words = typed.matchedOptionValue(setting.option(), new String[0]);
                settings.add(new Given(setting.settingName(), List.of(words), "option " + setting.option()));
            }
        }
        return new CommandLineOptions(
                typed.hasMatchedOption("--help"),
                typed.hasMatchedOption("--version"),
                typed.matchedPositionalValue(0, (Path) null),
                settings);
    }

    /// The error for an argument that nothing matches. An option is reported as a setting, with the nearest name.
    private static ConfigException unknownArgument(String argument) {
        if (!argument.startsWith("--")) {
            return new ConfigException("unexpected argument '" + argument + "'; try --help");
        }
        String name = argument.substring(2).split("=", 2)[0];
        return new ConfigException(Settings.unknown(name, "option --" + name));
    }

    private static ConfigException missingValue(MissingParameterException missing) {
        for (ArgSpec argument : missing.getMissing()) {
            Setting<?> setting =
                    argument instanceof OptionSpec option ? Settings.withOption(option.longestName()) : null;
            if (setting != null) {
                return new ConfigException(Settings.valueless(setting, "option " + setting.option()));
            }
        }
        return new ConfigException(String.valueOf(missing.getMessage()));
    }

    private static CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("tallis");
        spec.addPositional(PositionalParamSpec.builder()
                .index("0")
                .arity("0..1")
                .type(Path.class)
                .build());
        spec.addOption(flag("--help", "-h").usageHelp(true).build());
        spec.addOption(flag("--version", "-v").versionHelp(true).build());
        Settings.all()
                .forEach(setting ->
                        spec.addOption(option(setting.option(), setting.type().severalWords() ? "1..*" : "1")));
        // Not in the help: settings of Redis that are accepted as long as they say what is true here anyway.
        for (RedisSetting setting : RedisSetting.values()) {
            spec.addOption(option(setting.option(), "0..*"));
        }
        return spec;
    }

    private static OptionSpec.Builder flag(String name, String shortName) {
        return OptionSpec.builder(name, shortName).arity("0").type(boolean.class);
    }

    private static OptionSpec option(String name, String words) {
        return OptionSpec.builder(name).type(String[].class).arity(words).build();
    }
}
