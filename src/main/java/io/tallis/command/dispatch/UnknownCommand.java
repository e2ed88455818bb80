package io.tallis.command.dispatch;

import io.tallis.command.Arguments;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/// The error replies to requests whose command this server does not have.
///
/// A command that Redis has and that cannot exist here is answered with the reason, so that a client that was pointed
/// at the wrong server sees it from the first error. The reason follows Redis's prefix `ERR unknown command`, by which
/// client libraries recognise a command that a server lacks. Any other command gets all of Redis's text.
///
/// Scripts are the exception to the prefix: clients such as Redisson take `unknown command` and `NOSCRIPT` for
/// something that passes, and send the script again for ever.
final class UnknownCommand {
    private static final String NO_SCRIPTS =
            "ERR scripts are not supported by Tallis: it has neither Lua nor functions;"
                    + " send single commands, or several in MULTI and EXEC";

    private static final Set<String> SCRIPT_COMMANDS =
            Set.of("EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "FCALL", "FCALL_RO", "SCRIPT", "FUNCTION");

    private static final String NO_OTHER_TYPES =
            "Tallis keeps counters and strings, and no lists, hashes, sets, bits, floats or other types";

    private static final String COMMANDS_OF_OTHER_TYPES = """
            INCRBYFLOAT LCS
            BITCOUNT BITFIELD BITFIELD_RO BITOP BITPOS GETBIT SETBIT
            BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH LINDEX LINSERT LLEN LMOVE LMPOP LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET
            LTRIM RPOP RPOPLPUSH RPUSH RPUSHX
            HDEL HEXISTS HEXPIRE HEXPIREAT HEXPIRETIME HGET HGETALL HGETDEL HGETEX HINCRBY HINCRBYFLOAT HKEYS HLEN
            HMGET HMSET HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HRANDFIELD HSCAN HSET HSETEX HSETNX HSTRLEN HTTL
            HVALS
            SADD SCARD SDIFF SDIFFSTORE SINTER SINTERCARD SINTERSTORE SISMEMBER SMEMBERS SMISMEMBER SMOVE SPOP
            SRANDMEMBER SREM SSCAN SUNION SUNIONSTORE
            BZMPOP BZPOPMAX BZPOPMIN ZADD ZCARD ZCOUNT ZDIFF ZDIFFSTORE ZINCRBY ZINTER ZINTERCARD ZINTERSTORE ZLEXCOUNT
            ZMPOP ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANGESTORE ZRANK ZREM
            ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ZSCAN
            ZSCORE ZUNION ZUNIONSTORE
            GEOADD GEODIST GEOHASH GEOPOS GEORADIUS GEORADIUSBYMEMBER GEORADIUSBYMEMBER_RO GEORADIUS_RO GEOSEARCH
            GEOSEARCHSTORE
            PFADD PFCOUNT PFMERGE
            XACK XADD XAUTOCLAIM XCLAIM XDEL XGROUP XINFO XLEN XPENDING XRANGE XREAD XREADGROUP XREVRANGE XSETID XTRIM
            """;

    private static final String KEYS_STAY = "Tallis keeps counters and strings, which other nodes may be changing,"
            + " and cannot rename, copy, move, dump or sort them";

    private static final String COMMANDS_THAT_MOVE_KEYS =
            "COPY DUMP MIGRATE MOVE RENAME RENAMENX RESTORE SORT SORT_RO SWAPDB";

    private static final String NO_PRIMARY =
            "Tallis keeps its data on nodes that all take writes, and has no primary and no replicas;"
                    + " nodes with the same cluster-name replicate to each other";

    private static final String COMMANDS_OF_REPLICATION = "FAILOVER PSYNC REPLCONF REPLICAOF SLAVEOF SYNC";

    private static final String NO_PAUSE = "Tallis does not pause clients; the other nodes would serve them";

    private static final String PAUSES = "CLIENT|PAUSE CLIENT|UNPAUSE";

    private static final String SLOTS_ARE_GIVEN =
            "Tallis gives slots to the nodes that are ready, and every node takes every key";

    private static final String CHANGES_OF_SLOTS =
            "CLUSTER|ADDSLOTS CLUSTER|ADDSLOTSRANGE CLUSTER|BUMPEPOCH CLUSTER|DELSLOTS CLUSTER|DELSLOTSRANGE"
                    + " CLUSTER|FAILOVER CLUSTER|FLUSHSLOTS CLUSTER|MEET CLUSTER|REPLICATE CLUSTER|RESET"
                    + " CLUSTER|SET-CONFIG-EPOCH CLUSTER|SETSLOT";

    private static final String ONE_USER = "Tallis has one user, default, whose password is requirepass";

    private static final String ACCESS_CONTROL =
            "ACL|CAT ACL|DELUSER ACL|DRYRUN ACL|GENPASS ACL|GETUSER ACL|LIST ACL|LOAD ACL|LOG ACL|SAVE ACL|SETUSER ACL|USERS";

    /// Why a command or subcommand of Redis is absent, by its name in upper case.
    private static final Map<String, String> REASONS = new HashMap<>();

    static {
        addReason(NO_OTHER_TYPES, COMMANDS_OF_OTHER_TYPES);
        addReason(KEYS_STAY, COMMANDS_THAT_MOVE_KEYS);
        addReason(NO_PRIMARY, COMMANDS_OF_REPLICATION);
        addReason(NO_PAUSE, PAUSES);
        addReason(SLOTS_ARE_GIVEN, CHANGES_OF_SLOTS);
        addReason(ONE_USER, ACCESS_CONTROL);
    }

    private UnknownCommand() {}

    private static void addReason(String reason, String commands) {
        new StringTokenizer(commands).asIterator().forEachRemaining(command -> REASONS.put((String) command, reason));
    }

    /// The error for a request whose command is not known, or whose subcommand is not when `commandIsKnown`.
    static String text(Arguments arguments, boolean commandIsKnown) {
        String command = arguments.shown(0).toUpperCase(Locale.ROOT);
        if (SCRIPT_COMMANDS.contains(command)) {
            return NO_SCRIPTS;
        }
        return commandIsKnown ? unknownSubcommand(arguments) : unknownCommand(arguments, REASONS.get(command));
    }

    /// Bytes that are not UTF-8 become replacement characters.
    private static String unknownCommand(Arguments arguments, @Nullable String reason) {
        String unknown = "ERR unknown command '" + arguments.shown(0) + "'";
        if (reason != null) {
            return unknown + ": " + reason;
        }
        StringBuilder text = new StringBuilder(unknown).append(", with args beginning with: ");
        int left = Arguments.MOST_SHOWN;
        for (int word = 1; word < arguments.count() && left > 0; word++) {
            String shown = "'" + arguments.shown(word, left) + "' ";
            text.append(shown);
            left -= shown.length();
        }
        return text.toString();
    }

    private static String unknownSubcommand(Arguments arguments) {
        String command = arguments.shown(0).toUpperCase(Locale.ROOT);
        String reason = REASONS.get(command + "|" + arguments.shown(1).toUpperCase(Locale.ROOT));
        String unknown = "ERR unknown subcommand '" + arguments.shown(1) + "'";
        return reason == null ? unknown + ". Try " + command + " HELP." : unknown + ": " + reason;
    }
}
