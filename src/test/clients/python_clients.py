"""redis-py's scripts, hashes and locks; limits, which Flask-Limiter and slowapi use; django-redis' incr. What their
users do with counters, at the nodes whose ports TALLIS_PORTS has."""

import random
import time

import django
import django_redis
import flask
import flask_limiter
import limits
import redis
from django.conf import settings

from matrix import CLIENTS, LIMIT, NODES, PORTS, SECONDS, at_once, check, counted, exit_with_result, fresh, in_turn
from matrix import settle

HITS = 100
ADD = "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n"
URLS = ["redis://127.0.0.1:%d" % port for port in PORTS]
TOTAL = 5 * HITS * CLIENTS * len(PORTS)


def redis_py():
    name = "redis-py", redis.__version__
    with check(*name, "scripts") as result:
        key = fresh("scripts")
        script = NODES[0].register_script(ADD)
        at_once(lambda node: [script([key], [5, SECONDS], client=NODES[node]) for _ in range(HITS)])
        result(counted(key, TOTAL))
    with check(*name, "hashes") as result:
        key = fresh("hashes")
        at_once(lambda node: [NODES[node].hincrby(key, "a field", 5) for _ in range(HITS)])
        settle()
        NODES[-1].expire(key, SECONDS)
        result(counted(key, TOTAL, lambda node: node.hgetall(key)["a field"]))
    with check(*name, "`scan_iter`") as result:
        tag = fresh("scan")
        for i in range(20):
            NODES[i % len(NODES)].incr("%s:%d" % (tag, i))
        settle()
        result((20, len(set(NODES[0].scan_iter(tag + ":*", count=7)))))
    with check(*name, "locks of one node's clients") as result:
        held = [fresh("lock"), []]

        def locked(node):
            for _ in range(5):
                with NODES[0].lock(held[0], timeout=60, sleep=0.005, blocking_timeout=20):
                    held[1].append("in")
                    time.sleep(0.001)
                    held[1].append("out")

        at_once(locked)
        result((["in", "out"] * (len(held[1]) // 2), held[1]))
    with check(*name, "lists") as result:
        result((1, NODES[0].lpush(fresh("list"), 1)))


def flask_limiters():
    """An application of Flask on each node."""

    def applications(limit, tag):
        made = []
        for url in URLS:
            application = flask.Flask(__name__)
            limiter = flask_limiter.Limiter(
                lambda: "ann", app=application, storage_uri=url, default_limits=[limit], key_prefix=tag
            )
            limiter.init_app(application)
            application.add_url_rule("/", "hit", lambda: "admitted")
            made.append(application)
        return made

    def hit(application):
        status = application.test_client().get("/").status_code
        if status not in (200, 429):
            raise AssertionError(status)
        return status == 200

    name = "Flask-Limiter", flask_limiter.__version__
    with check(*name, "sums") as result:
        tag = fresh("flask")
        made = applications("1000000/10 minutes", tag)
        at_once(lambda node: [hit(made[node]) for _ in range(HITS)])
        settle()
        keys = NODES[0].keys("*%s*" % tag)
        result(counted(keys[0], HITS * CLIENTS * len(PORTS)))
    with check(*name, "limits") as result:
        made = applications("%d/10 minutes" % LIMIT, fresh("flask"))
        result(in_turn(lambda node: hit(made[node])))


def limits_library():
    storages = [limits.storage.RedisStorage(url) for url in URLS]
    for what, Strategy in (
        ("fixed window", limits.strategies.FixedWindowRateLimiter),
        ("elastic window", limits.strategies.FixedWindowElasticExpiryRateLimiter),
    ):
        strategies = [Strategy(storage) for storage in storages]
        name = "limits: " + what, limits.__version__
        with check(*name, "sums") as result:
            tag, item = fresh("ann"), limits.RateLimitItemPerMinute(1_000_000, 10)
            at_once(lambda node: [strategies[node].hit(item, tag) for _ in range(HITS)])
            settle()
            key = NODES[0].keys("*%s*" % tag)[0]
            result(counted(key, HITS * CLIENTS * len(PORTS)))
        with check(*name, "limits") as result:
            tag, item = fresh("ann"), limits.RateLimitItemPerMinute(LIMIT, 10)
            result(in_turn(lambda node: strategies[node].hit(item, tag)))
        with check(*name, "windows") as result:
            tag, item = fresh("ann"), limits.RateLimitItemPerSecond(1, 1)
            admitted = [strategies[0].hit(item, tag)]
            settle()
            admitted.append(strategies[-1].hit(item, tag))
            settle()
            time.sleep(1.2)
            admitted.append(strategies[-1].hit(item, tag))
            result(([True, False, True], admitted))
    moving = limits.strategies.MovingWindowRateLimiter(storages[0])
    with check("limits: moving window", limits.__version__, "limits") as result:
        result((True, moving.hit(limits.RateLimitItemPerMinute(LIMIT, 10), fresh("ann"))))


def django_redis_incr():
    aliases = ["default", *("node-%d" % i for i in range(1, len(URLS)))]
    settings.configure(
        CACHES={
            alias: {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": url + "/0", "TIMEOUT": SECONDS}
            for alias, url in zip(aliases, URLS)
        }
    )
    django.setup()
    from django.core.cache import caches  # needs the settings

    with check("django-redis", django_redis.__version__, "`incr`") as result:
        key = fresh("incr")
        caches["default"].add(key, 0)
        settle()
        at_once(lambda node: [caches[aliases[node]].incr(key, 5) for _ in range(HITS)])
        result(counted(caches["default"].make_key(key), TOTAL))


random.seed()
redis_py()
flask_limiters()
limits_library()
django_redis_incr()
exit_with_result()
