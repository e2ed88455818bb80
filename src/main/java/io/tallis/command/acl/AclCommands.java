package io.tallis.command.acl;

import io.tallis.acl.AccessControl;
import io.tallis.acl.AccessLog;
import io.tallis.acl.NamedUser;
import io.tallis.acl.RuleException;
import io.tallis.acl.Rules;
import io.tallis.acl.UnmatchedParenthesisException;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Denial;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.facts.Categories;
import io.tallis.command.facts.CommandSpec;
import io.tallis.runtime.Randomness;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `ACL`: users and their permissions, and what was denied. What reads and writes the file is in [AclFileCommands].
public final class AclCommands implements CommandFamily {
    private static final int DEFAULT_LOG_COUNT = 10;
    private static final int DEFAULT_BITS = 256;
    private static final int MOST_BITS = 4096;
    private static final int BITS_OF_A_DIGIT = 4;

    /// In `ACL DRYRUN`, the word where the request in question begins.
    private static final int REQUEST = 3;

    private final AccessControl access;
    private final Randomness randomness;
    private Set<CommandSpec> all = Set.of();

    public AclCommands(AccessControl access, Randomness randomness) {
        this.access = access;
        this.randomness = randomness;
    }

    @Override
    public void addTo(CommandSet commands) {
        all = new LinkedHashSet<>(commands.facts().all());
        commands.add(
                        "acl|whoami",
                        (_, client, reply) -> reply.bulk(client.user().name()))
                .add("acl|users", this::users)
                .add("acl|list", this::list)
                .add("acl|getuser", this::getUser)
                .add("acl|setuser", this::setUser)
                .add("acl|deluser", this::deleteUsers)
                .add("acl|cat", this::categories)
                .add("acl|log", this::log)
                .add("acl|genpass", this::generatePassword)
                .add("acl|dryrun", this::dryRun);
    }

    private void users(Arguments arguments, Client client, Reply reply) {
        List<NamedUser> users = access.users();
        reply.array(users.size());
        users.forEach(user -> reply.bulk(user.name()));
    }

    private void list(Arguments arguments, Client client, Reply reply) {
        List<String> lines = access.lines();
        reply.array(lines.size());
        lines.forEach(line -> bytes(line, reply));
    }

    /// A text whose characters are bytes.
    private static void bytes(String text, Reply reply) {
        reply.bulk(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// `ACL GETUSER name`: null for an unknown one.
    private void getUser(Arguments arguments, Client client, Reply reply) {
        NamedUser user = access.user(arguments.text(2));
        if (user == null) {
            reply.nil();
            return;
        }
        Rules rules = user.rules();
        List<Rules.Shown> selectors = rules.shownSelectors();
        reply.map(6);
        reply.bulk("flags");
        reply.set(rules.flags().size());
        rules.flags().forEach(reply::bulk);
        reply.bulk("passwords");
        reply.array(rules.passwords().size());
        rules.passwords().forEach(reply::bulk);
        write(selectors.getFirst(), reply);
        reply.bulk("selectors");
        reply.array(selectors.size() - 1);
        selectors.stream().skip(1).forEach(selector -> {
            reply.map(3);
            write(selector, reply);
        });
    }

    private static void write(Rules.Shown selector, Reply reply) {
        reply.bulk("commands");
        bytes(selector.commands(), reply);
        reply.bulk("keys");
        bytes(selector.keys(), reply);
        reply.bulk("channels");
        bytes(selector.channels(), reply);
    }

    /// `ACL SETUSER name [rule...]`: applies all rules or none.
    private void setUser(Arguments arguments, Client client, Reply reply) {
        String name = arguments.text(2);
        if (!AccessControl.isName(arguments.bytes(2))) {
            throw new CommandError("ERR Usernames can't contain spaces or null characters");
        }
        try {
            access.setUser(name, AccessControl.rules(words(arguments, 3)));
        } catch (UnmatchedParenthesisException unmatched) {
            throw new CommandError("ERR " + unmatched.getMessage());
        } catch (RuleException wrong) {
            throw new CommandError("ERR Error in ACL SETUSER modifier '" + wrong.shown() + "': " + wrong.reason());
        }
        reply.ok();
    }

    private static List<byte[]> words(Arguments arguments, int first) {
        List<byte[]> words = new ArrayList<>();
        for (int word = first; word < arguments.count(); word++) {
            words.add(arguments.bytes(word));
        }
        return words;
    }

    /// `ACL DELUSER name...`: closes the connections of these users.
    private void deleteUsers(Arguments arguments, Client client, Reply reply) {
        List<String> names = new ArrayList<>();
        for (int word = 2; word < arguments.count(); word++) {
            names.add(arguments.text(word));
        }
        reply.integer(access.deleteUsers(names, client));
    }

    /// `ACL CAT [category]`: all categories, or the commands of one.
    private void categories(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        if (arguments.count() == 2) {
            reply.array(Categories.ALL.size());
            Categories.ALL.forEach(reply::bulk);
            return;
        }
        String category = arguments.text(2).toLowerCase(Locale.ROOT);
        if (!Categories.ALL.contains(category)) {
            throw new CommandError("ERR Unknown category '" + arguments.shown(2) + "'");
        }
        List<CommandSpec> found = all.stream()
                .filter(spec -> Categories.of(spec).contains(category))
                .toList();
        reply.array(found.size());
        found.forEach(spec -> reply.bulk(spec.fullName()));
    }

    /// `ACL LOG [count | RESET]`: the newest entries.
    private void log(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        if (arguments.count() == 3 && arguments.is(2, "RESET")) {
            access.log().clear();
            reply.ok();
            return;
        }
        long count = arguments.count() == 3 ? Numbers.signed(arguments, 2) : DEFAULT_LOG_COUNT;
        List<AccessLog.Entry> entries = access.log().newest(Math.clamp(count, 0, Integer.MAX_VALUE));
        reply.array(entries.size());
        entries.forEach(entry -> write(entry, reply));
    }

    private void write(AccessLog.Entry entry, Reply reply) {
        reply.map(10);
        number("count", entry.count(), reply);
        text("reason", entry.event().reason(), reply);
        text("context", entry.event().context(), reply);
        text("object", entry.event().object(), reply);
        text("username", entry.event().user(), reply);
        reply.bulk("age-seconds");
        reply.decimal(access.log().ageSeconds(entry));
        text("client-info", entry.client(), reply);
        number("entry-id", entry.id(), reply);
        number("timestamp-created", entry.createdMillis(), reply);
        number("timestamp-last-updated", entry.updatedMillis(), reply);
    }

    private static void number(String name, long value, Reply reply) {
        reply.bulk(name);
        reply.integer(value);
    }

    private static void text(String name, String value, Reply reply) {
        reply.bulk(name);
        reply.bulk(value);
    }

    /// `ACL GENPASS [bits]`: random bits in hexadecimal form.
    private void generatePassword(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        long bits = arguments.count() == 3 ? Numbers.signed(arguments, 2) : DEFAULT_BITS;
        if (bits < 1 || bits > MOST_BITS) {
            throw new CommandError("ERR ACL GENPASS argument must be the number of bits for the output password, a"
                    + " positive number up to " + MOST_BITS);
        }
        int digits = (int) (bits + BITS_OF_A_DIGIT - 1) / BITS_OF_A_DIGIT;
        StringBuilder password = new StringBuilder();
        while (password.length() < digits) {
            password.append(HexFormat.of().toHexDigits(randomness.nextLong()));
        }
        reply.bulk(password.substring(0, digits));
    }

    /// `ACL DRYRUN name command [arg...]`: whether that user could run this request.
    private void dryRun(Arguments arguments, Client client, Reply reply) {
        NamedUser user = access.user(arguments.text(2));
        if (user == null) {
            throw new CommandError("ERR User '" + arguments.shown(2) + "' not found");
        }
        Arguments request = new Arguments();
        request.begin(arguments.array());
        for (int word = REQUEST; word < arguments.count(); word++) {
            request.add(arguments.offset(word), arguments.length(word));
        }
        CommandEntry entry = entry(request);
        if (entry == null) {
            throw new CommandError("ERR Command '" + arguments.shown(REQUEST) + "' not found");
        }
        if (!entry.fits(request.count())) {
            throw new CommandError(
                    "ERR wrong number of arguments for '" + entry.spec().fullName() + "' command");
        }
        Denial denial = user.denial(entry, request);
        if (denial == null) {
            reply.ok();
        } else {
            reply.bulk(denial.ofDryRun());
        }
    }

    private @Nullable CommandEntry entry(Arguments request) {
        String name = request.text(0).toLowerCase(Locale.ROOT);
        String full = request.count() > 1 ? name + "|" + request.text(1).toLowerCase(Locale.ROOT) : name;
        CommandSpec found = null;
        for (CommandSpec spec : all) {
            if (spec.fullName().equals(full)
                    || (found == null && spec.fullName().equals(name))) {
                found = spec;
            }
        }
        return found == null ? null : new CommandEntry(found, (_, _, _) -> {}, Map.of());
    }
}
