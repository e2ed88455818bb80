package io.tallis.acl;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandError;
import io.tallis.command.Denial;
import io.tallis.command.Subscriptions;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.facts.CommandFacts;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Who may do what: authenticates clients, says whether a request may run, changes users. Any thread may call; what
/// changes a client is called on its event loop.
///
/// A change of a user applies to the next command of each client. A client whose user is deleted, or that has
/// subscriptions its user may no longer have, is closed.
public final class AccessControl {
    private final CommandFacts facts;
    private final ClientRegistry clients;
    private final Users users;
    private final AccessLog log;
    private final Live<Integer> mostLogged;
    private volatile Runnable afterChange = () -> {};

    /// `mostLogged` is the number of entries that the log keeps.
    public AccessControl(CommandFacts facts, ClientRegistry clients, Clock clock, Live<Integer> mostLogged) {
        this.facts = facts;
        this.clients = clients;
        this.mostLogged = mostLogged;
        users = new Users(facts);
        log = new AccessLog(clock);
    }

    /// Where a command was denied, as `ACL LOG` names it.
    public enum Context {
        TOPLEVEL,
        MULTI,
        LUA;

        private final String word = name().toLowerCase(Locale.ROOT);
    }

    /// Called after each change of users, on the thread that made it.
    public void afterChange(Runnable listener) {
        afterChange = listener;
    }

    public AccessLog log() {
        return log;
    }

    // Clients

    /// Gives a client the state of a new connection: the default user, authenticated if that needs no password.
    public void admit(Client client) {
        client.user(users.defaultUser());
        client.authenticated(!needsPassword());
    }

    /// Whether a client has to authenticate before it may run commands.
    public boolean needsPassword() {
        Rules rules = users.defaultUser().rules();
        return !rules.noPassword() || !rules.enabled();
    }

    /// Whether the default user can be authenticated without a password.
    public boolean hasNoPassword() {
        return users.defaultUser().rules().noPassword();
    }

    /// Authenticates the client. Returns whether the password is right; a wrong one is logged and changes nothing.
    public boolean authenticate(String name, byte[] password, Client client) {
        NamedUser user = verified(name, password);
        if (user == null) {
            Context context = client.transaction().isOpen() ? Context.MULTI : Context.TOPLEVEL;
            note("auth", context, "AUTH", name, client);
            return false;
        }
        client.user(user);
        client.authenticated(true);
        return true;
    }

    /// The user with this name and password, or null.
    public @Nullable NamedUser verified(String name, byte[] password) {
        NamedUser user = users.find(name);
        return fits(user, password) ? user : null;
    }

    public NamedUser defaultUser() {
        return users.defaultUser();
    }

    /// As slow for a name that does not exist as for one that does.
    private static boolean fits(@Nullable NamedUser user, byte[] password) {
        byte[] digest = digest(password);
        if (user == null) {
            return false;
        }
        Rules rules = user.rules();
        boolean has = rules.hasPassword(digest);
        return rules.enabled() && (rules.noPassword() || has);
    }

    private static byte[] digest(byte[] password) {
        return RulesEditor.hexDigest(password).getBytes(StandardCharsets.US_ASCII);
    }

    /// Authenticates a client whose certificate has this name as its common name, if there is such a user.
    public void certified(String name, Client client) {
        NamedUser user = users.find(name);
        if (user != null && user.rules().enabled()) {
            client.user(user);
            client.authenticated(true);
        } else {
            note("tls-cert", Context.TOPLEVEL, "TLS", name, client);
        }
    }

    // Requests

    /// Whether the client's user may run this request: null if so, else why not, which is logged. The number of words
    /// must fit the command.
    ///
    /// This is the question for every request that is run for a client, wherever it comes from. It costs one branch for
    /// a user who may run all.
    public @Nullable Denial denial(CommandEntry entry, Arguments arguments, Client client, Context context) {
        if (client.user().mayRunAll()) {
            return null;
        }
        return checked(entry, arguments, client, context);
    }

    private @Nullable Denial checked(CommandEntry entry, Arguments arguments, Client client, Context context) {
        Denial denial = client.user().denial(entry, arguments);
        if (denial != null) {
            note(
                    denial.reason().name().toLowerCase(Locale.ROOT),
                    context,
                    denial.object(),
                    client.user().name(),
                    client);
        }
        return denial;
    }

    private void note(String reason, Context context, String object, String user, Client client) {
        int most = mostLogged.now();
        if (most > 0) {
            AccessLog.Event event = new AccessLog.Event(reason, context.word, cut(object), cut(user));
            log.add(event, clients.line(client).strip(), most);
        }
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), Bounds.LONGEST_NAME));
    }

    // Users

    public @Nullable NamedUser user(String name) {
        return users.find(name);
    }

    /// All users, in the order of their names.
    public List<NamedUser> users() {
        return users.all();
    }

    /// The rules in the words of a request, of which a selector may take several. Throws
    /// [UnmatchedParenthesisException].
    public static List<String> rules(List<byte[]> words) {
        return Words.rules(words.stream().map(Words::of).toList());
    }

    /// Whether a user may have this name: one word of a line, which is valid in UTF-8 and does not begin as a quoted
    /// one.
    public static boolean isName(byte[] name) {
        String text = new String(name, StandardCharsets.UTF_8);
        return !text.isEmpty()
                && !Words.hasBlank(text)
                && text.charAt(0) != '"'
                && text.charAt(0) != '\''
                && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), name);
    }

    /// Makes a user or changes one, by all of these rules or by none. Throws [RuleException].
    public void setUser(String name, List<String> rules) {
        NamedUser changed = users.set(name, rules);
        changed(Set.of(changed));
    }

    /// Deletes users and closes their clients; `own` is the client that wants it. Returns how many there were.
    public int deleteUsers(Collection<String> names, Client own) {
        if (names.contains(Users.DEFAULT)) {
            throw new CommandError("ERR The 'default' user cannot be removed");
        }
        Set<NamedUser> gone = new HashSet<>();
        for (String name : names) {
            NamedUser deleted = users.delete(name);
            if (deleted != null) {
                gone.add(deleted);
            }
        }
        gone(gone, own);
        return gone.size();
    }

    /// Sets the only password of the default user; empty means that it needs none.
    public void defaultPassword(String password) {
        users.defaultPassword(password);
        changed(Set.of(users.defaultUser()));
    }

    /// Whether this text is a password of the default user, or empty and it needs none.
    public boolean isDefaultPassword(String password) {
        return password.isEmpty()
                ? hasNoPassword()
                : users.defaultUser().rules().hasPassword(digest(password.getBytes(StandardCharsets.UTF_8)));
    }

    /// Replaces all users by those of these lines. Returns a text for each mistake; if there is one, nothing changes.
    public List<String> define(List<Line> lines, @Nullable Client own) {
        UserLines read = new UserLines(facts);
        lines.forEach(line -> read.add(line.origin(), line.text()));
        if (read.mistakes().isEmpty()) {
            gone(Set.copyOf(users.replace(read.users())), own);
            changed(Set.copyOf(users.all()));
        }
        return read.mistakes();
    }

    /// A line that defines a user, each character one byte, and where it stands.
    public record Line(String origin, String text) {}

    /// The lines that define all users, each character one byte.
    public List<String> lines() {
        return users.all().stream().map(NamedUser::line).toList();
    }

    /// Whether there is no user but the default one, with what `requirepass` says.
    public boolean areAsAtStart() {
        return users.areAsAtStart();
    }

    private void gone(Set<NamedUser> users, @Nullable Client own) {
        for (Client client : clients.unordered()) {
            if (users.contains(client.user())) {
                if (client.equals(own)) {
                    client.link().closeAfterReplies();
                } else {
                    client.link().kill();
                }
            }
        }
    }

    /// Subscriptions belong to the event loop of their client, so they are checked there, as a message is sent: after
    /// the command that the client may be running now, which may subscribe.
    private void changed(Set<NamedUser> changed) {
        for (Client client : clients.unordered()) {
            if (!changed.contains(client.user())) {
                continue;
            }
            if (client.link().isTranslated() && !client.user().mayRunAll()) {
                // Over HTTP it may be a stream of events, which needs all rights.
                client.link().kill();
            } else {
                client.link().send(0, _ -> closeIfDenied(client));
            }
        }
        afterChange.run();
    }

    private static void closeIfDenied(Client client) {
        for (Subscriptions.Kind kind : Subscriptions.Kind.values()) {
            for (ByteString name : client.subscriptions().all(kind)) {
                if (!client.user().mayReceive(kind, name.bytes())) {
                    client.link().closeAfterReplies();
                    return;
                }
            }
        }
    }
}
