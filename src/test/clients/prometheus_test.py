"""Asks a Prometheus server on 127.0.0.1 whether the dashboard and the alerts work; called by scripts/check-metrics.

prometheus_test.py PORT data DASHBOARD   each query of the dashboard and of the alerts has data, and no alert is met, but
                                         those about speed
prometheus_test.py PORT fires ALERT...   waits until these alerts fire
"""

import json
import re
import sys
import time
import urllib.parse
import urllib.request

port, what, *arguments = sys.argv[1:]
seconds_to_wait = 15

# A busy machine meets them in the first seconds of its nodes.
about_speed = {"TallisEventLoopsSlow", "TallisJournalStalls"}


def ask(path, **parameters):
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)["data"]


def query(expression):
    return ask("query", query=expression)["result"]


def alerts():
    return [rule for group in ask("rules", type="alert")["groups"] for rule in group["rules"]]


def without_comparison(expression):
    found = re.fullmatch(r"(.+?)\s*(?:==|!=|>=|<=|>|<)\s*-?[\d.]+", expression, re.DOTALL)
    assert found, f"does not end with a comparison with a number: {expression}"
    return found[1]


def has_data(expression):
    return any(sample["value"][1] != "NaN" for sample in query(expression))


def until(condition):
    """Waits until the condition returns nothing to complain of, and returns what is left in the end."""
    deadline = time.monotonic() + seconds_to_wait
    while (left := condition()) and time.monotonic() < deadline:
        time.sleep(0.3)
    return left


def queries_of(dashboard):
    with open(dashboard, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    for panel in panels:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for name, value in {"$__rate_interval": "10s", "$job": "tallis", "$node": ".*"}.items():
                expression = expression.replace(name, value)
            yield panel["title"], expression


def data(dashboard):
    queries = list(queries_of(dashboard))
    rules = alerts()
    assert len(queries) > 30 and len(rules) > 10, "read too few queries"
    queries += [(rule["name"], without_comparison(rule["query"])) for rule in rules]
    left = until(lambda: [(title, text) for title, text in queries if not has_data(text)])
    assert not left, "without data:\n" + "\n".join(f"{title}: {text}" for title, text in left)
    met = [(rule["name"], query(rule["query"])) for rule in rules if rule["name"] not in about_speed]
    met = [(name, result) for name, result in met if result]
    assert not met, f"alerts that are met though all is well: {met}"
    print(f"{len(queries)} queries have data")


def fires(*names):
    left = until(lambda: set(names) - {rule["name"] for rule in alerts() if rule["state"] == "firing"})
    assert not left, f"do not fire: {sorted(left)}"
    print("fires: " + ", ".join(names))


{"data": data, "fires": fires}[what](*arguments)
