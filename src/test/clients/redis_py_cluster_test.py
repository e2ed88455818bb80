"""redis-py in cluster mode, with its defaults: the load of slots_load.mjs."""

import os
import threading
import time

import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import RedisClusterException

KEYS = 1000
WORKERS = 16
MOST_SECONDS = 10
PORTS = [int(port) for port in os.environ["TALLIS_SLOTS"].split()]


def connect():
    return RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in PORTS])


def reconnect():
    # A new client asks one node at random for its commands, and fails alike while the dead one is still listed.
    while True:
        try:
            return connect()
        except RedisClusterException:
            time.sleep(0.1)


cluster = connect()
assert len(cluster.get_primaries()) == len(PORTS), cluster.get_primaries()
until = time.monotonic() + float(os.environ["TALLIS_SECONDS"])
results = []
prefix = "redis-py:%d:" % time.time_ns()


def key(number):
    return prefix + str(number % KEYS)


def worker(number):
    # A client for each thread: redis-py 4.3 cannot replace its map of slots while other threads use it.
    own = connect()
    counted = unknown = i = 0
    longest = 0.0
    last = time.monotonic()
    while last < until:
        try:
            own.incr(key(number * KEYS // WORKERS + i))
            counted += 1
            longest = max(longest, time.monotonic() - last)
            last = time.monotonic()
        except RedisClusterException:
            # redis-py 4.3 cannot read the slots again when the node that died has the first of them: it copies its
            # settings, which refer to a lock (mended in 4.4). An application makes a new client.
            unknown += 1
            own = reconnect()
        except redis.RedisError:
            unknown += 1
            time.sleep(0.02)
        i += 1
    results.append((counted, unknown, longest))


workers = [threading.Thread(target=worker, args=(number,)) for number in range(WORKERS)]
for thread in workers:
    thread.start()
for thread in workers:
    thread.join()
counted = sum(result[0] for result in results)
unknown = sum(result[1] for result in results)
longest = max(result[2] for result in results)


def total(port):
    node = redis.Redis(port=port)
    try:
        return sum(int(value or 0) for value in node.mget([key(i) for i in range(KEYS)]))
    except redis.RedisError as error:
        return "none (%s)" % error


for _ in range(60):
    sums = [total(port) for port in PORTS]
    if len(set(sums)) == 1:
        break
    time.sleep(0.5)

print(
    "redis-py: %d counted, %d unknown, value %s, longest wait %d ms" % (counted, unknown, sums[0], 1000 * longest)
)
assert len(set(sums)) == 1, sums
assert sums[0] >= counted, "nothing that was counted is lost"
assert sums[0] <= counted + unknown + WORKERS, "nothing is counted twice"
assert longest < MOST_SECONDS
# Every node tells of all keys: a client that asks all nodes gets each several times, and misses none.
all_keys = [key(i) for i in range(KEYS)]
values = redis.Redis(port=PORTS[0]).mget(all_keys)
counters = {name.encode() for name, value in zip(all_keys, values) if value is not None}
keys = set(cluster.scan_iter(match=prefix + "*", count=1000))
assert keys == counters, (len(keys), len(counters))
