package io.tallis.command.acl;

import io.tallis.acl.AclFile;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Reply;
import io.tallis.command.server.Later;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `ACL LOAD` and `ACL SAVE`: the users in the file of the setting `aclfile`, on a thread of their own, since a disk
/// may hang.
public final class AclFileCommands implements CommandFamily {
    private static final Logger LOG = System.getLogger(AclFileCommands.class.getName());
    private static final String THREAD = "users";

    private static final String NO_FILE =
            "ERR This Redis instance is not configured to use an ACL file. You may want to"
                    + " specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis"
                    + " configuration file set) in order to store users in the Redis configuration.";

    private final @Nullable AclFile file;
    private final Later later;

    /// `file` is null if there is none.
    public AclFileCommands(@Nullable AclFile file, Later later) {
        this.file = file;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("acl|load", this::load).add("acl|save", this::save);
    }

    /// `ACL LOAD`: replaces all users, or none if a line is not valid.
    private void load(Arguments arguments, Client client, Reply reply) {
        AclFile source = required();
        later.answerOnItsOwn(THREAD, client, () -> {
            List<String> mistakes = read(source, client);
            if (!mistakes.isEmpty()) {
                throw new CommandError("ERR " + String.join(" ", mistakes) + " WARNING: ACL errors detected, no change"
                        + " to the previously active ACL rules was performed");
            }
            return Reply::ok;
        });
    }

    private List<String> read(AclFile source, Client client) {
        try {
            return source.load(client);
        } catch (IOException unreadable) {
            throw new CommandError("ERR Error loading ACLs, opening file '" + source + "': " + unreadable.getMessage());
        }
    }

    private void save(Arguments arguments, Client client, Reply reply) {
        AclFile target = required();
        later.answerOnItsOwn(THREAD, client, () -> {
            try {
                target.save();
            } catch (IOException failed) {
                LOG.log(Level.WARNING, "ACL SAVE cannot write " + target, failed);
                throw new CommandError(
                        "ERR There was an error trying to save the ACLs. Please check the server logs for"
                                + " more information");
            }
            return Reply::ok;
        });
    }

    private AclFile required() {
        if (file == null) {
            throw new CommandError(NO_FILE);
        }
        return file;
    }
}
