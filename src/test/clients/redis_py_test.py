"""redis-py: counting, limits and deadlines."""

import time

import redis

from tallis import CLIENTS, PORTS, NodesTest, main


class RedisPyTest(NodesTest):
    def test_incr_and_expire_in_transactions_counts_clients_at_once(self):
        self.count_at_once(transaction=True)

    def test_incr_and_expire_in_pipelines_counts_clients_at_once(self):
        self.count_at_once(transaction=False)

    def count_at_once(self, transaction):
        counts = self.at_once(lambda node: [self.hit(node, transaction) for _ in range(200)])
        self.settle()

        total = 200 * CLIENTS * len(PORTS)
        self.assert_value(total)
        self.assert_deadline(600)
        if len(PORTS) == 1:
            self.assertEqual(sorted(sum(counts, [])), list(range(1, total + 1)))

    def hit(self, node, transaction=True, seconds=600):
        pipeline = self.nodes[node].pipeline(transaction=transaction)
        pipeline.incr(self.key)
        pipeline.expire(self.key, seconds)
        count, _ = pipeline.execute()
        return count

    def test_incr_then_expire_of_the_first_counts_and_keeps_the_deadline(self):
        def hit(node):
            count = self.nodes[node].incr(self.key)
            if count == 1:
                self.nodes[node].expire(self.key, 600)

        self.at_once(lambda node: [hit(node) for _ in range(200)])
        self.settle()

        self.assert_value(200 * CLIENTS * len(PORTS))
        self.assert_deadline(600)

    def test_limit_admits_exactly_as_many(self):
        admitted = []
        for i in range(60):
            admitted.append(self.hit(i % len(PORTS)) <= 20)
            self.settle()

        self.assertEqual(admitted, [True] * 20 + [False] * 40)
        self.assert_value(60)

    def test_several_limits_in_one_pipeline_count_each(self):
        def hit(node):
            pipeline = self.nodes[node].pipeline()
            for window, seconds in (("minute", 60), ("hour", 3_600), ("day", 86_400)):
                pipeline.incrby(self.key + window, 3)
                pipeline.expire(self.key + window, seconds, nx=True)
            pipeline.execute()

        self.at_once(lambda node: [hit(node) for _ in range(100)])
        self.settle()

        for window, seconds in (("minute", 60), ("hour", 3_600), ("day", 86_400)):
            self.assert_value(300 * CLIENTS * len(PORTS), self.key + window)
            self.assert_deadline(seconds, self.key + window)

    def test_window_that_has_ended_begins_again_on_each_node(self):
        self.hit(0, seconds=1)
        self.settle()
        time.sleep(1.1)

        self.assertEqual([node.get(self.key) for node in self.nodes], [None] * len(PORTS))
        self.assertEqual(self.hit(-1), 1)
        self.settle()
        self.assert_value(1)
        self.assert_deadline(600)

    def test_set_ex_nx_claims_once_until_the_deadline(self):
        self.assertTrue(self.nodes[0].set(self.key, "first", ex=2, nx=True))
        self.settle()
        for node in self.nodes:
            self.assertIsNone(node.set(self.key, "other", ex=600, nx=True))
        self.assert_value("first")
        time.sleep(2.1)

        self.assertTrue(self.nodes[-1].set(self.key, "second", ex=600, nx=True))
        self.settle()
        self.assert_value("second")
        self.assert_deadline(600)

    def test_set_ex_nx_of_clients_at_once_on_one_node_claims_once(self):
        claims = self.at_once(lambda node: self.nodes[node].set(self.key, "mine", ex=600, nx=True), [0] * 4)

        self.assertEqual(claims.count(True), 1)

    def test_optimistic_transactions_on_one_node_count_clients_at_once(self):
        def add(pipeline):
            before = int(pipeline.get(self.key) or 0)
            pipeline.multi()
            pipeline.set(self.key, before + 1, ex=600)

        self.at_once(lambda node: [self.nodes[node].transaction(add, self.key) for _ in range(25)], [0] * 2)
        self.settle()

        self.assert_value(25 * 2 * CLIENTS)
        self.assert_deadline(600)

    def test_watch_sees_what_another_node_counted(self):
        with self.nodes[0].pipeline() as pipeline:
            pipeline.watch(self.key)
            self.nodes[-1].incr(self.key)
            self.settle()
            pipeline.multi()
            pipeline.set(self.key, 100)
            self.assertRaises(redis.WatchError, pipeline.execute)

        self.assert_value(1)

    def test_deadline_that_a_client_changes_is_that_of_each_node(self):
        self.nodes[0].set(self.key, 5, ex=600)
        self.settle()
        self.assertFalse(self.nodes[-1].expire(self.key, 900, nx=True))
        self.assertFalse(self.nodes[-1].expire(self.key, 900, lt=True))
        self.settle()
        self.assert_deadline(600)

        self.assertTrue(self.nodes[-1].expire(self.key, 900, gt=True))
        self.settle()
        self.assert_deadline(900)

        self.assertEqual(self.nodes[0].getex(self.key, ex=300), "5")
        self.settle()
        self.assert_deadline(300)

        self.nodes[-1].incrby(self.key, 2)
        self.nodes[0].decrby(self.key, 1)
        self.settle()
        self.assert_value(6)
        self.assert_deadline(300)

        self.assertEqual(self.nodes[-1].set(self.key, 7, keepttl=True, get=True), "6")
        self.settle()
        self.assert_value(7)
        self.assert_deadline(300)

        self.assertTrue(self.nodes[0].persist(self.key))
        self.settle()
        self.assertEqual([node.ttl(self.key) for node in self.nodes], [-1] * len(PORTS))

        self.assertEqual(self.nodes[-1].getdel(self.key), "7")
        self.settle()
        self.assertEqual([node.ttl(self.key) for node in self.nodes], [-2] * len(PORTS))


main(
    ("redis-py", redis.__version__, "counters and deadlines in pipelines and transactions"),
    ("redis-py", redis.__version__, "`SET` with `EX` and `NX`"),
    ("redis-py", redis.__version__, "`WATCH` of one node's clients"),
)
