"""Reports of what clients do, one a line, for scripts/check-clients. The nodes are those of tallis.py."""

import contextlib
import json
import os
import random
import sys
import threading
import traceback

import redis

PORTS = [int(port) for port in os.environ["TALLIS_PORTS"].split()]
OTHERS = len(set(PORTS)) - 1
NODES = [redis.Redis(port=port, decode_responses=True) for port in PORTS]
CLIENTS = 2  # threads at each node
LIMIT = 20
SECONDS = 600

wrong = []


def report(*fields):
    if fields[0] == "wrong":
        wrong.append(fields)
    print("\t".join(" ".join(str(field).split()) for field in fields), flush=True)


@contextlib.contextmanager
def check(client, release, what):
    """The block calls what this gives, with what it expected and what it found. A server's error is a refusal."""
    results = []
    try:
        yield results.append
        expected, found = (json.dumps(value) for value in results[0])
        verdict = "works" if expected == found else "wrong"
        report(verdict, client, release, what, "expected " + expected, "found " + found)
    except redis.ResponseError as e:
        text = str(e).rpartition("caused error: ")[2]
        report("refused", client, release, what, "ERR " + text.removeprefix("ERR "), "")
    except Exception:
        report("wrong", client, release, what, "threw", traceback.format_exc())


def fresh(name):
    return "%s:%x" % (name, random.getrandbits(60))


def settle():
    """Waits until each node has what any of them has."""
    for node in NODES:
        if node.wait(OTHERS, 10_000) != OTHERS:
            raise AssertionError("nodes did not meet")


def counted(key, value, read=None):
    """The key has this value, and one deadline, on each node."""
    settle()
    found = []
    for node in NODES:
        left = node.ttl(key)
        found.append([int((read or (lambda node: node.get(key)))(node) or 0), SECONDS - 60 < left <= SECONDS])
    return [[value, True]] * len(PORTS), found


def in_turn(hit):
    """Requests that nodes take in turn are admitted up to the limit, and then none."""
    admitted = [0, 0]
    for i in range(2 * LIMIT):
        admitted[i // LIMIT] += bool(hit(i % len(PORTS)))
        settle()
    return [LIMIT, 0], admitted


def at_once(work):
    """Calls work with the index of a node, from several threads for each node."""
    failed = []

    def run(node):
        try:
            work(node)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=run, args=(node,)) for node in range(len(PORTS)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def exit_with_result():
    sys.exit(1 if wrong else 0)
