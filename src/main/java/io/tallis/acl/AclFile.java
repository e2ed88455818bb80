package io.tallis.acl;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.acl.AccessControl.Line;
import io.tallis.command.Client;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The file of the setting `aclfile`: read at the start, by `ACL LOAD` and when it has changed, written by `ACL SAVE`.
///
/// What renews passwords replaces the file. So it is looked at now and then, and when it has changed, and is the same
/// at the next look, its users count: it may be written in several steps. What `ACL SETUSER` changed and `ACL SAVE` did
/// not write is gone then. A file that is not valid changes nothing.
///
/// Any thread may call; the disk may block it.
public final class AclFile {
    private static final Logger LOG = System.getLogger(AclFile.class.getName());

    private final AccessControl access;
    private final Path path;

    /// The lines that were read or written last, those at the last look, and what was logged of them.
    @GuardedBy("this")
    private List<String> used = List.of();

    @GuardedBy("this")
    private List<String> seen = List.of();

    @GuardedBy("this")
    private String logged = "";

    public AclFile(AccessControl access, Path path) {
        this.access = access;
        this.path = path;
    }

    /// Replaces all users by those of the file, on behalf of a client. Returns the mistakes in the file: if there are
    /// any, nothing has changed.
    public synchronized List<String> load(@Nullable Client own) throws IOException {
        return use(UserFile.read(path), own);
    }

    private synchronized List<String> use(List<String> texts, @Nullable Client own) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            lines.add(new Line(path + ":" + (i + 1), texts.get(i)));
        }
        List<String> mistakes = access.define(lines, own);
        if (mistakes.isEmpty()) {
            used = texts;
        }
        return mistakes;
    }

    /// Writes all users.
    public synchronized void save() throws IOException {
        List<String> lines = access.lines();
        UserFile.write(path, lines);
        used = lines;
    }

    /// Looks whether the file has changed.
    public synchronized void refresh() {
        String wrong = "";
        try {
            List<String> now = UserFile.read(path);
            boolean isSettled = now.equals(seen);
            seen = now;
            if (isSettled && !now.equals(used)) {
                wrong = String.join(" ", use(now, null));
                if (wrong.isEmpty()) {
                    LOG.log(Level.INFO, "Users are those of " + path + ", which has changed");
                }
            } else if (!isSettled) {
                wrong = logged;
            }
        } catch (IOException unreadable) {
            wrong = unreadable.toString();
        }
        if (!wrong.isEmpty() && !wrong.equals(logged)) {
            LOG.log(Level.WARNING, "Users stay as they are: " + wrong);
        }
        logged = wrong;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
