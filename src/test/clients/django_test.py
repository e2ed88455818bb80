"""Django's caches: the package django-redis, and the commands of Django's own backend."""

import os
import time
import unittest

import django
import django_redis
from django.conf import settings

from tallis import CLIENTS, PORTS, URLS, NodesTest, main

ALIASES = ["default", *("node-%d" % i for i in range(1, len(URLS)))]
settings.configure(
    CACHES={
        alias: {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": url + "/0", "TIMEOUT": 600}
        for alias, url in zip(ALIASES, URLS)
    }
)
django.setup()

from django.core.cache import caches  # noqa: E402: needs the settings
from django_redis import get_redis_connection  # noqa: E402


class DjangoRedisTest(NodesTest):
    def setUp(self):
        super().setUp()
        self.caches = [caches[alias] for alias in ALIASES]
        self.stored = self.caches[0].make_key(self.key)

    def test_add_succeeds_once_and_sets_the_deadline(self):
        added = []
        for cache in self.caches:
            added.append(cache.add(self.key, 1, timeout=300))
            self.settle()

        self.assertEqual(added, [True] + [False] * (len(PORTS) - 1))
        self.assert_value(1, self.stored)
        self.assert_deadline(300, self.stored)

    def test_set_is_read_on_each_node_until_the_deadline(self):
        self.caches[0].set(self.key, {"name": "ann"}, timeout=2)
        self.caches[-1].set_many({self.key + "a": 1, self.key + "b": [2]}, timeout=300)
        self.settle()

        for cache in self.caches:
            self.assertEqual(cache.get(self.key), {"name": "ann"})
            self.assertEqual(cache.get_many([self.key + "a", self.key + "b"]), {self.key + "a": 1, self.key + "b": [2]})
        time.sleep(2.1)
        self.assertEqual([cache.get(self.key, "none") for cache in self.caches], ["none"] * len(PORTS))
        self.assert_deadline(300, self.caches[0].make_key(self.key + "a"))

    def test_touch_moves_the_deadline_on_each_node(self):
        self.caches[0].set(self.key, 7)
        self.settle()
        self.assert_deadline(600, self.stored)

        self.assertTrue(self.caches[-1].touch(self.key, 3_600))
        self.settle()
        self.assert_deadline(3_600, self.stored)

        self.assertTrue(self.caches[0].touch(self.key, None))
        self.settle()
        self.assertEqual([cache.ttl(self.key) for cache in self.caches], [None] * len(PORTS))
        self.assertFalse(self.caches[-1].touch("nothing", 600))

    def test_get_or_set_computes_once_for_all_nodes(self):
        values = []
        for i, cache in enumerate(self.caches):
            values.append(cache.get_or_set(self.key, lambda i=i: "computed by %d" % i, timeout=300))
            self.settle()

        self.assertEqual(values, ["computed by 0"] * len(PORTS))
        self.assert_deadline(300, self.stored)

    def test_raw_client_counts_clients_at_once(self):
        self.caches[0].add(self.key, 0, timeout=300)
        self.settle()

        def hit(node):
            get_redis_connection(ALIASES[node]).incr(self.stored)

        self.at_once(lambda node: [hit(node) for _ in range(200)])
        self.settle()

        total = 200 * CLIENTS * len(PORTS)
        self.assertEqual([cache.get(self.key) for cache in self.caches], [total] * len(PORTS))
        self.assert_deadline(300, self.stored)


class DjangoBackendByItsCommandsTest(NodesTest):
    """Django has a backend of its own since 4.0, newer than the package: redis-py, which it uses, sends its commands."""

    def test_clients_that_add_or_incr_at_once_are_all_counted(self):
        self.add(0, 1, 300)
        self.settle()

        self.at_once(lambda node: [self.add(node, 1, 300) or self.incr(node, 1) for _ in range(200)])
        self.settle()

        self.assert_value(1 + 200 * CLIENTS * len(PORTS))
        self.assert_deadline(300)

    def test_limit_admits_exactly_as_many(self):
        admitted = []
        for i in range(60):
            node = i % len(PORTS)
            admitted.append((1 if self.add(node, 1, 300) else self.incr(node, 1)) <= 20)
            self.settle()

        self.assertEqual(admitted, [True] * 20 + [False] * 40)

    def test_count_that_has_ended_is_added_again(self):
        self.assertTrue(self.add(0, 1, 2))
        self.settle()
        self.assertEqual(self.incr(-1, 4), 5)
        self.settle()
        time.sleep(2.1)

        self.assertRaises(ValueError, self.incr, 0, 1)
        self.assertTrue(self.add(-1, 1, 300))
        self.settle()
        self.assert_value(1)
        self.assert_deadline(300)

    def test_add_without_time_leaves_nothing(self):
        self.assertTrue(self.nodes[0].set(self.key, 1, nx=True))
        self.assertEqual(self.nodes[0].delete(self.key), 1)
        self.settle()

        self.assertEqual([node.exists(self.key) for node in self.nodes], [0] * len(PORTS))

    def test_touch_moves_the_deadline_on_each_node(self):
        self.nodes[0].set(self.key, 7, ex=300)
        self.settle()
        self.assertTrue(self.nodes[-1].expire(self.key, 3_600))
        self.settle()
        self.assert_deadline(3_600)

        self.assertTrue(self.nodes[0].persist(self.key))
        self.settle()
        self.assertEqual([node.ttl(self.key) for node in self.nodes], [-1] * len(PORTS))

    def test_get_or_set_computes_once_for_all_nodes(self):
        values = []
        for i, node in enumerate(self.nodes):
            if node.get(self.key) is None:
                self.add(i, i, 300)
            values.append(node.get(self.key))
            self.settle()

        self.assertEqual(values, ["0"] * len(PORTS))
        self.assert_deadline(300)

    def test_set_many_sets_all_deadlines(self):
        pipeline = self.nodes[0].pipeline()
        pipeline.mset({self.key + "a": 1, self.key + "b": "two"})
        pipeline.expire(self.key + "a", 300)
        pipeline.expire(self.key + "b", 300)
        pipeline.execute()
        self.settle()

        for node in self.nodes:
            self.assertEqual(node.mget([self.key + "a", self.key + "b"]), ["1", "two"])
        self.assert_deadline(300, self.key + "a")
        self.assert_deadline(300, self.key + "b")

    @unittest.skipIf("TALLIS_REFERENCE" in os.environ, "Redis 7.0 has no CLIENT SETINFO")
    def test_connection_names_its_library(self):
        for setting, value in (("LIB-NAME", "redis-py(django_v6.1)"), ("LIB-VER", "7.0.1")):
            self.assertEqual(self.nodes[0].execute_command("CLIENT SETINFO", setting, value), "OK")

    def add(self, node, value, timeout):
        return bool(self.nodes[node].set(self.key, value, ex=timeout, nx=True))

    def incr(self, node, delta):
        if not self.nodes[node].exists(self.key):
            raise ValueError
        return self.nodes[node].incr(self.key, delta)


main(
    ("django-redis", django_redis.__version__, "`add`, `set`, `set_many`, `touch`, `get_or_set`"),
    ("Django's own backend", "by redis-py", "`add`, `incr`, `set`, `set_many`, `touch`, `get_or_set`"),
)
