package io.tallis.script;

/// What scripts reach outside of the language. Called on the thread that runs the script.
public interface Host {
    /// `redis.call` and `redis.pcall`: runs a command, whose words are at least one. An error reply is a table with the
    /// field `err`.
    LuaValue call(LuaString[] words);

    /// Whether the words begin with the name of a command.
    boolean knows(LuaString[] words);

    /// `redis.acl_check_cmd`: whether the user may run the command, which is known.
    boolean mayRun(LuaString[] words);

    /// `redis.REDIS_VERSION`: three numbers with dots between them.
    String version();

    /// `redis.setresp`: the version of the protocol in whose terms replies become values.
    void protocol(int version);

    /// `redis.log`, at a level from 0 (debug) to 3 (warning).
    void log(int level, String text);
}
