package io.tallis.command;

/// Why a user may not run a request: `object` is the name of the command, or the first bytes of the key or channel.
/// The texts are those of Redis.
public record Denial(Reason reason, String object) {
    private static final int MOST_SHOWN = 256;

    /// What was not allowed.
    public enum Reason {
        COMMAND(
                "this user has no permissions to run the '%s' command",
                "can't run this command or subcommand", "no permission to execute the command or subcommand"),
        KEY(
                "this user has no permissions to access one of the keys used as arguments",
                "can't access at least one of the keys mentioned in the command arguments",
                "no permission to touch the specified keys"),
        CHANNEL(
                "this user has no permissions to access one of the channels used as arguments",
                "can't publish to the channel mentioned in the command",
                "no permission to access one of the channels used as arguments");

        private final String text;
        private final String inScript;
        private final String later;

        Reason(String text, String inScript, String later) {
            this.text = text;
            this.inScript = inScript;
            this.later = later;
        }
    }

    static Denial ofCommand(CommandEntry entry) {
        return new Denial(Reason.COMMAND, entry.spec().fullName());
    }

    /// The denial of a word of a request; word 0 means the command.
    public static Denial of(Reason reason, CommandEntry entry, Arguments arguments, int word) {
        return reason == Reason.COMMAND ? ofCommand(entry) : new Denial(reason, arguments.text(word, MOST_SHOWN));
    }

    /// The error that answers the request.
    public String error() {
        return "NOPERM " + sentence();
    }

    private String sentence() {
        return reason.text.replace("%s", object);
    }

    /// The answer of `ACL DRYRUN`, which names the key or channel.
    public String ofDryRun() {
        return switch (reason) {
            case COMMAND -> "This" + sentence().substring("this".length());
            case KEY -> "This user has no permissions to access the '" + object + "' key";
            case CHANNEL -> "This user has no permissions to access the '" + object + "' channel";
        };
    }

    /// The error of a command that a script calls.
    public String errorInScript() {
        return "ERR The user executing the script " + reason.inScript;
    }

    /// The error of a command that was allowed when it was queued in a transaction.
    public String errorAtExec() {
        return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This"
                + " command is no longer allowed for the following reason: " + reason.later;
    }
}
