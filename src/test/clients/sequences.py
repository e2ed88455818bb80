"""What counts on Redis and no package registry has: its commands and scripts, one request a function, sent by redis-py.

Each function is one hit of a limiter or counter at a node. It returns the count so far, or whether the hit was admitted
within LIMIT. The scripts do what those of the source do, with the same commands on the same keys."""

import itertools
import time

from matrix import CLIENTS, LIMIT, NODES, PORTS, SECONDS, at_once, check, counted, exit_with_result, fresh, in_turn
from matrix import OTHERS, settle

HITS = 50
counters, absolute = [], []


def counter(name, source, read=None):
    """Each hit adds one, so several clients may send hits at once; read gets the count from a node and a key."""
    return lambda hit: counters.append((name, source, hit, read)) or hit


def bucket(name, source):
    """The hits store what is left, or a time, as a whole. So only requests that nodes take in turn are exact."""
    return lambda hit: absolute.append((name, source, hit)) or hit


def eval_(node, script, keys, *args):
    """EVALSHA, and EVAL where the server has not seen the script: what most libraries do."""
    return node.register_script(script)(keys, args)


def pipeline(node, *commands, transaction=False):
    pipe = node.pipeline(transaction=transaction)
    for command in commands:
        pipe.execute_command(*command)
    return pipe.execute()


# ---- Sorted sets


def score(node, key):
    return int(node.zscore(key, "ann"))


@counter("leaderboard (Ruby)", "agoragames/leaderboard lib/leaderboard.rb", score)
def leaderboard(node, key):
    return int(
        pipeline(
            node,
            ("ZINCRBY", key, 1, "ann"),
            ("HSET", key + ":data", "ann", "{}"),
            ("ZREVRANK", key, "ann"),
            ("ZREVRANGE", key, 0, 9, "WITHSCORES"),
            transaction=True,
        )[0]
    )


requests = itertools.count()


@counter("Tyk's rate limiter", "TykTechnologies/tyk@31e219b storage/redis_cluster.go", lambda node, key: node.zcard(key))
def tyk_rate(node, key):
    now = time.time_ns()
    return 1 + len(
        pipeline(
            node,
            ("ZREMRANGEBYSCORE", key, "-inf", now - SECONDS * 10**9),
            ("ZRANGE", key, 0, -1),
            ("ZADD", key, now, "%d.%d" % (now, next(requests))),
            ("EXPIRE", key, SECONDS),
            transaction=True,
        )[1]
    )


@counter(
    "sliding window in seconds (Python)",
    "thangtran3112/system-design rate-limiter/redis_sorted_set_rate_limiter.md",
    lambda node, key: node.zcard(key),
)
def sliding_seconds(node, key):
    now = time.time()
    return pipeline(
        node,
        ("ZREMRANGEBYSCORE", key, 0, now - SECONDS),
        ("ZADD", key, now, "%f-%d" % (now, next(requests))),
        ("ZCARD", key),
        ("EXPIRE", key, SECONDS),
    )[2]


SLIDING = """
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
local count = redis.call('ZCARD', KEYS[1])
if count < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now, ARGV[4])
  redis.call('EXPIRE', KEYS[1], window / 1000)
  return 0
end
return 1
"""


@bucket("austin's sliding window", "ZhongFuCheng3y/austin austin-web limit.lua")
def austin(node, key):
    now = time.time_ns() // 1_000_000
    return eval_(node, SLIDING, [key], now, 1_000 * SECONDS, LIMIT, "%d.%d" % (now, next(requests))) == 0


# ---- Counters without and with a deadline


@counter("GitLab's usage counters", "gitlabhq redis_counter.rb@34808a2")
def gitlab_usage(node, key):
    return node.incr(key)


@counter("Resque's statistics", "resque lib/resque/data_store.rb")
def resque(node, key):
    node.incrby(key, 3)
    node.decrby(key, 2)
    return int(node.get(key))


@counter("redis-objects' `Counter`", "nateware/redis-objects counter.rb")
def redis_objects(node, key):
    node.setnx(key, 0)
    return node.incrby(key, 1)


@counter("Envoy's rate limit service", "envoyproxy/ratelimit@f2fb157 src/redis/fixed_cache_impl.go")
def envoy(node, key):
    return pipeline(node, ("INCRBY", key, 1), ("EXPIRE", key, SECONDS))[0]


@counter("Hammer", "ExHammer/hammer-backend-redis@21980c4")
def hammer(node, key):
    end = int(time.time()) + SECONDS
    return pipeline(node, ("INCRBY", key, 1), ("EXPIREAT", key, end, "NX"))[0]


@counter("nikolaposa/rate-limit", "nikolaposa/rate-limit src/RedisRateLimiter.php")
def nikolaposa(node, key):
    count = node.incr(key)
    if count == 1:
        node.expire(key, SECONDS)
    node.pttl(key)
    return count


@counter("Sentry's rate limiter", "getsentry/sentry@008af59 ratelimits/redis.py")
def sentry(node, key):
    return pipeline(node, ("INCR", key), ("EXPIRE", key, SECONDS))[0]


@counter("sentry-redis-tools", "getsentry/sentry-redis-tools@b917a39")
def sentry_redis_tools(node, key):
    pipeline(node, ("GET", key), ("GET", key + ":other"))
    return pipeline(node, ("INCRBY", key, 1), ("EXPIRE", key, SECONDS))[0]


@counter("Mastodon's `ActivityTracker`", "mastodon@0486db9 app/lib/activity_tracker.rb")
def mastodon(node, key):
    node.incrby(key, 1)
    node.expire(key, SECONDS)
    return int(node.mget(key)[0])


@counter("GitLab's `ApplicationRateLimiter`", "gitlabhq increment_per_action.rb@34808a2")
def gitlab_limiter(node, key):
    return pipeline(node, ("INCR", key), ("EXPIRE", key, SECONDS))[0]


@counter("kredis' counter", "rails/kredis lib/kredis/types/counter.rb")
def kredis(node, key):
    return pipeline(node, ("SET", key, 0, "EX", SECONDS, "NX"), ("INCRBY", key, 1), transaction=True)[1]


@counter("mennanov/limiters, windows", "mennanov/limiters fixedwindow.go")
def mennanov(node, key):
    return pipeline(node, ("INCR", key), ("PEXPIRE", key, 1_000 * SECONDS))[0]


@counter("unkey's window counter", "unkeyed/unkey@fc99b6b pkg/counter/redis.go")
def unkey(node, key):
    count = node.incrby(key, 1)
    if count == 1:
        node.expire(key, SECONDS)
    return count


@counter("Tyk's quota", "TykTechnologies/tyk@31e219b storage/redis_cluster.go")
def tyk(node, key):
    node.pttl(key)
    count = node.incr(key)
    if count == 1:
        node.expire(key, SECONDS)
    return count


COST = 1_000_000_000  # nanoseconds that a request takes of Boulder's limits
first_times = {}


def boulder_count(node, key):
    return 1 + (int(node.get(key)) - first_times[key]) // COST


@counter("Boulder", "letsencrypt/boulder ratelimits/source_redis.go", boulder_count)
def boulder(node, key):
    if node.get(key) is None:
        now = time.time_ns()
        if node.set(key, now, ex=SECONDS, nx=True):
            first_times[key] = now
            return 1
    count = pipeline(node, ("INCRBY", key, COST), ("EXPIRE", key, SECONDS))[0]
    return 1 + (count - first_times[key]) // COST


# ---- Counters in hashes


@counter("Sentry's time series", "getsentry/sentry@002b9a2 tsdb/redis.py", lambda node, key: node.hget(key, "ann"))
def sentry_tsdb(node, key):
    end = int(time.time()) + SECONDS
    return pipeline(node, ("HINCRBY", key, "ann", 1), ("EXPIREAT", key, end))[0]


@counter("ratelimit (Ruby)", "ejfinneran/ratelimit lib/ratelimit.rb", lambda node, key: node.hget(key, "7"))
def ejfinneran(node, key):
    commands = ("HINCRBY", key, "7", 1), ("HDEL", key, "8"), ("EXPIRE", key, SECONDS)
    return pipeline(node, *commands, transaction=True)[0]


DISCOURSE = "Discourse's `CachedCounting`", "discourse lib/cached_counting.rb@09a2823"


@counter(*DISCOURSE, lambda node, key: node.hget(key, "a,b"))
def discourse(node, key):
    return node.hincrby(key, "a,b", 1)


FLUSH = """
local count = redis.call('HGET', KEYS[1], ARGV[1])
if count then redis.call('HDEL', KEYS[1], ARGV[1]) end
return count
"""


def discourse_flush(node, key):
    """What is moved into a database: each field's count, which is then removed."""
    return sum(int(eval_(node, FLUSH, [key], field) or 0) for field in node.hkeys(key))


RATELIMITJ = """
local now, duration, precision = tonumber(ARGV[1]), tonumber(ARGV[2]), 10
local block = math.floor(now / precision)
local oldest = tonumber(redis.call('HGET', KEYS[1], 'o')) or block
local trim = math.min(block - math.floor(duration / precision) + 1, block)
if oldest < trim then
  for stale = oldest, trim - 1 do
    local count = redis.call('HGET', KEYS[1], stale)
    if count then redis.call('HINCRBY', KEYS[1], 'c', -count) redis.call('HDEL', KEYS[1], stale) end
  end
end
redis.call('HSET', KEYS[1], 'o', trim > oldest and trim or oldest)
redis.call('HINCRBY', KEYS[1], block, 1)
local count = redis.call('HINCRBY', KEYS[1], 'c', 1)
redis.call('EXPIRE', KEYS[1], duration)
return count
"""


@counter(
    "ratelimitj",
    "mokies/ratelimitj ratelimitj-redis sliding-window-ratelimit.lua",
    lambda node, key: node.hget(key, "c"),
)
def ratelimitj(node, key):
    return eval_(node, RATELIMITJ, [key], int(time.time()), SECONDS)


# ---- Counters in scripts

ULULE = """
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if count == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return {count, ARGV[2]} end
local left = redis.call('PTTL', KEYS[1])
return {count, left}
"""


@counter("ulule/limiter", "ulule/limiter@f0ada6c drivers/store/redis/store.go")
def ulule(node, key):
    return eval_(node, ULULE, [key], 1, 1_000 * SECONDS)[0]


GO_ZERO_PERIOD = """
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local current = redis.call('INCRBY', KEYS[1], 1)
if current == 1 then redis.call('expire', KEYS[1], window) return 1
elseif current < limit then return 1
elseif current == limit then return 2
else return 0 end
"""


@counter("go-zero's `PeriodLimit`", "zeromicro/go-zero@11f2109 core/limit/periodscript.lua")
def go_zero_period(node, key):
    return bool(eval_(node, GO_ZERO_PERIOD, [key], LIMIT, SECONDS))


KONG = """
local key, value, expiration = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local after = redis.call('incrby', key, value)
if after == value then redis.call('expire', key, expiration) end
return after
"""


@counter("Kong's rate-limiting", "Kong/kong@22246ef plugins/rate-limiting/policies/init.lua")
def kong(node, key):
    return eval_(node, KONG, [key], 1, SECONDS)


KONG_BATCH = """
local key, value, expiration = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local exists = redis.call('exists', key)
local after = redis.call('incrby', key, value)
if not exists or exists == 0 then redis.call('expireat', key, expiration) end
return after
"""


@counter("Kong's rate-limiting, in batches", "Kong/kong@22246ef plugins/rate-limiting/policies/init.lua")
def kong_batch(node, key):
    pipe = node.pipeline(transaction=False)
    pipe.eval(KONG_BATCH, 1, key, 1, int(time.time()) + SECONDS)
    return pipe.execute()[0]


APISIX = """
assert(tonumber(ARGV[3]) >= 1, 'cost must be at least 1')
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then
  redis.call('set', KEYS[1], ARGV[1] - ARGV[3], 'EX', ARGV[2])
  return {ARGV[1] - ARGV[3], ARGV[2] * 1000}
end
return {redis.call('incrby', KEYS[1], 0 - ARGV[3]), ttl}
"""


@counter(
    "APISIX' limit-count",
    "apache/apisix@f519a0f plugins/limit-count/util.lua",
    lambda node, key: 1_000_000 - int(node.get(key)),
)
def apisix(node, key):
    return 1_000_000 - eval_(node, APISIX, [key], 1_000_000, SECONDS, 1)[0]


CREDITS = """
local value = redis.call('GET', KEYS[1])
if not value then return {0, 0} end
if tonumber(value) < tonumber(ARGV[1]) then return {tonumber(value), 0} end
return {redis.call('DECRBY', KEYS[1], ARGV[1]), 1}
"""


@counter(
    "unkey's credits",
    "unkeyed/unkey@fc99b6b pkg/counter/redis.go",
    lambda node, key: 1_000_000 - int(node.get(key)),
)
def unkey_credits(node, key):
    node.set(key, 1_000_000, ex=SECONDS, nx=True)
    return 1_000_000 - eval_(node, CREDITS, [key], 1)[0]


CRISTIPUFU_FIXED = """
local expires = tonumber(redis.call('GET', KEYS[2]))
if not expires or tonumber(ARGV[1]) > expires then
  redis.call('SET', KEYS[1], 0)
  redis.call('SET', KEYS[2], ARGV[2])
  redis.call('PEXPIREAT', KEYS[1], ARGV[2] * 1000)
  redis.call('PEXPIREAT', KEYS[2], ARGV[2] * 1000)
end
return redis.call('INCRBY', KEYS[1], 1)
"""


@counter("aspnetcore-redis-rate-limiting, fixed windows", "cristipufu/aspnetcore-redis-rate-limiting@562c1b4")
def cristipufu_fixed(node, key):
    now = int(time.time())
    return eval_(node, CRISTIPUFU_FIXED, [key, key + ":exp"], now, now + SECONDS)


ASP_NET_CORE = """
local count = redis.call('INCRBYFLOAT', KEYS[1], tonumber(ARGV[1]))
local ttl = redis.call('ttl', KEYS[1])
if ttl == -1 then redis.call('expire', KEYS[1], ARGV[2]) end
return count
"""


@counter("AspNetCoreRateLimit", "stefanprodan/AspNetCoreRateLimit@3a574a8 RedisProcessingStrategy.cs")
def asp_net_core(node, key):
    return int(eval_(node, ASP_NET_CORE, [key], 1, SECONDS))


LITELLM = """
local results = {}
for i = 1, #KEYS, 2 do
  local start = redis.call('GET', KEYS[i])
  if not start or tonumber(ARGV[1]) - tonumber(start) >= tonumber(ARGV[2]) then
    redis.call('SET', KEYS[i], tostring(ARGV[1]))
    redis.call('SET', KEYS[i + 1], 1)
    redis.call('EXPIRE', KEYS[i], ARGV[2])
    redis.call('EXPIRE', KEYS[i + 1], ARGV[2])
    table.insert(results, tostring(ARGV[1]))
    table.insert(results, 1)
  else
    table.insert(results, start)
    table.insert(results, redis.call('INCR', KEYS[i + 1]))
  end
end
return results
"""


@counter("litellm's requests", "BerriAI/litellm@00353f5 hooks/parallel_request_limiter_v3.py")
def litellm(node, key):
    return eval_(node, LITELLM, [key + ":window", key], int(time.time()), SECONDS)[1]


LITELLM_TOKENS = """
local results = {}
for i = 1, #KEYS do
  local total = redis.call('INCRBYFLOAT', KEYS[i], ARGV[2 * i - 1])
  if redis.call('TTL', KEYS[i]) < 0 then redis.call('EXPIRE', KEYS[i], ARGV[2 * i]) end
  results[i] = total
end
return results
"""


@counter("litellm's tokens", "BerriAI/litellm@00353f5 hooks/parallel_request_limiter_v3.py")
def litellm_tokens(node, key):
    return int(eval_(node, LITELLM_TOKENS, [key], 1, SECONDS)[0])


# ---- Buckets, which store what is left or when it is full

TOKENS = """
local rate, capacity, now, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ttl = math.floor(capacity / rate * 2)
local last = tonumber(redis.call('get', KEYS[1])) or capacity
local refreshed = tonumber(redis.call('get', KEYS[2])) or 0
local filled = math.min(capacity, last + math.max(0, now - refreshed) * rate)
local allowed = filled >= requested
if allowed then filled = filled - requested end
redis.call('setex', KEYS[1], ttl, filled)
redis.call('setex', KEYS[2], ttl, now)
return allowed
"""


@bucket("go-zero's `TokenLimit`, ShenYu's token bucket", "zeromicro/go-zero@11f2109 core/limit/tokenscript.lua")
def tokens(node, key):
    return eval_(node, TOKENS, ["{%s}.tokens" % key, "{%s}.ts" % key], 1, 300 * LIMIT, int(time.time()), 300) == 1


PORTKEY = """
local capacity, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
local last = tonumber(redis.call('GET', KEYS[2])) or now
tokens = math.min(capacity, tokens + math.floor((now - last) / 30000))
local allowed = tokens >= 1
if allowed then tokens = tokens - 1 end
redis.call('SET', KEYS[1], tokens, 'PX', ARGV[3])
redis.call('SET', KEYS[2], now, 'PX', ARGV[3])
return allowed and 1 or 0
"""


@bucket("Portkey's gateway", "Portkey-AI/gateway rateLimiter.ts")
def portkey(node, key):
    return eval_(node, PORTKEY, [key, key + ":last"], LIMIT, time.time_ns() // 1_000_000, 1_000 * SECONDS) == 1


COMPARE_AND_SET = """
local value = redis.call('get', KEYS[1])
if value == ARGV[1] then redis.call('setex', KEYS[1], ARGV[3], ARGV[2]) return 1 end
return 0
"""


@bucket("throttled (Go)", "throttled/throttled@9e814f2 store/redigostore")
def throttled(node, key):
    """GCRA: a time in whole nanoseconds, compared and set."""
    interval = SECONDS * 1_000_000_000
    seconds, micros = node.time()
    now = seconds * 1_000_000_000 + micros * 1_000
    full = node.get(key)
    after = max(now, int(full or 0)) + interval
    if after - now > LIMIT * interval:
        return False
    if full is None:
        return bool(node.setnx(key, after)) and bool(node.expire(key, SECONDS * LIMIT))
    return eval_(node, COMPARE_AND_SET, [key], full, after, SECONDS * LIMIT) == 1


REDIS_RATE = """
local key, burst, interval = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = (tonumber(time[1]) - 1483228800) + tonumber(time[2]) / 1000000
local tat = math.max(tonumber(redis.call('GET', key) or now), now)
local after = tat + interval
if now - (after - burst * interval) < -0.001 then return 0 end
redis.call('SET', key, after, 'EX', math.ceil(after - now))
return 1
"""


@bucket("redis_rate (Go)", "go-redis/redis_rate@8eadf45 lua.go")
def redis_rate(node, key):
    return eval_(node, REDIS_RATE, [key], LIMIT, SECONDS) == 1


REDISSTORE = """
local key, now, capacity, interval = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local data, state = redis.call('HGETALL', key), {}
for i = 1, #data, 2 do state[data[i]] = tonumber(data[i + 1]) end
local start, tick, left = state['s'] or now, state['t'] or 0, state['k'] or capacity
local current = math.floor((now - start) / interval)
if current > tick then left = math.min(capacity, left + current - tick) tick = current end
local allowed = left > 0
if allowed then left = left - 1 end
redis.call('HSET', key, 's', start, 't', tick, 'k', left)
redis.call('EXPIRE', key, ARGV[4])
return allowed and 1 or 0
"""


@bucket("go-redisstore", "sethvargo/go-redisstore lua.go")
def redisstore(node, key):
    return eval_(node, REDISSTORE, [key], int(time.time()), LIMIT, SECONDS, SECONDS * LIMIT) == 1


def run_counter(name, source, hit, read):
    with check(name, source, "sums") as result:
        key = fresh("count")
        hit(NODES[0], key)
        settle()
        at_once(lambda node: [hit(NODES[node], key) for _ in range(HITS)])
        settle()
        if NODES[0].ttl(key) == -1:
            NODES[-1].expire(key, SECONDS)  # for those that count for ever
        result(counted(key, 1 + HITS * CLIENTS * len(PORTS), read and (lambda node: read(node, key))))
    if hit not in (leaderboard, gitlab_usage, resque, redis_objects, mastodon, discourse, sentry_tsdb):
        run_limit(name, source, hit)
        run_crowd(name, source, hit)


def is_admitted(hit, node, key):
    count = hit(NODES[node], key)
    return count if isinstance(count, bool) else count <= LIMIT


def run_limit(name, source, hit):
    with check(name, source, "limits") as result:
        key = fresh("limit")
        result(in_turn(lambda node: is_admitted(hit, node, key)))


def run_crowd(name, source, hit):
    """Of clients that ask n nodes at once, the limit is admitted at least and n times at most, and then none."""
    with check(name, source, "limits at once") as result:
        key, admitted = fresh("crowd"), []
        is_admitted(hit, 0, key)
        settle()
        at_once(lambda node: admitted.extend(is_admitted(hit, node, key) for _ in range(HITS)))
        settle()
        count = 1 + admitted.count(True)
        is_open = any([is_admitted(hit, node, key) for node in range(len(PORTS))])
        result(([True, False], [LIMIT <= count <= LIMIT * (OTHERS + 1), is_open]))


for name, source, hit, read in counters:
    run_counter(name, source, hit, read)
for name, source, hit in absolute:
    run_limit(name, source, hit)
with check(*DISCOURSE, "flushes while clients count") as result:
    key, flushed = fresh("flush"), []

    def count_and_flush(index):
        for _ in range(HITS):
            discourse(NODES[index], key)
            if index == 0:
                flushed.append(discourse_flush(NODES[0], key))

    at_once(count_and_flush)
    settle()
    result((HITS * CLIENTS * len(PORTS), sum(flushed) + discourse_flush(NODES[-1], key)))
exit_with_result()
