"""The nodes that a test uses: one, or all of a cluster. TALLIS_PORTS has their ports."""

import os
import random
import sys
import threading
import unittest

import redis

PORTS = [int(port) for port in os.environ["TALLIS_PORTS"].split()]
URLS = ["redis://127.0.0.1:%d" % port for port in PORTS]
CLIENTS = 2  # threads at each node


def main(*rows):
    """Runs the tests; reports the rows, of a client, its version and what it does, if all of them passed."""
    passed = unittest.main(exit=False).result.wasSuccessful()
    for row in rows:
        print("\t".join(["works" if passed else "wrong", *row, "", ""]))
    sys.exit(0 if passed else 1)


class NodesTest(unittest.TestCase):
    def setUp(self):
        self.nodes = [redis.Redis(port=port, decode_responses=True) for port in PORTS]
        self.key = "%s:%x" % (self.id().rpartition(".")[2], random.getrandbits(60))

    def tearDown(self):
        for node in self.nodes:
            node.close()

    def settle(self):
        """Waits until each node has what any of them has."""
        for node in self.nodes:
            self.assertEqual(node.wait(len(PORTS) - 1, 10_000), len(PORTS) - 1)

    def assert_value(self, value, key=None):
        self.assertEqual([node.get(key or self.key) for node in self.nodes], [str(value)] * len(PORTS))

    def assert_deadline(self, seconds, key=None):
        """The key has one deadline, the same on each node, in this many seconds or up to a minute less."""
        for node in self.nodes:
            left = node.ttl(key or self.key)
            self.assertTrue(seconds - 60 <= left <= seconds, left)
        self.assertEqual(len({node.pexpiretime(key or self.key) for node in self.nodes}), 1)

    def at_once(self, work, indexes=range(len(PORTS))):
        """Calls work with the index of a node, in threads of their own. Returns what the calls returned."""
        returned, failed = [], []

        def run(index):
            try:
                returned.append(work(index))
            except BaseException as e:
                failed.append(e)

        threads = [threading.Thread(target=run, args=(index,)) for index in indexes for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return returned
