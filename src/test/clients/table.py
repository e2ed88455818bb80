"""The table of src/site/markdown/clients.md, from what the programs of this directory reported; for check-clients.

table.py PAGE ONE THREE            fails if the page's table is not that of the reports from one node and from three
table.py --write PAGE ONE THREE    writes it
table.py --no-table PAGE ONE THREE fails only if a client did something wrong
table.py --reference REPORT        fails if anything did not work

Each line of a report: the program, the verdict, the client, its version, what it did, and two details."""

import re
import sys

LANGUAGES = {"java": "Java", "mjs": "JavaScript", "rb": "Ruby", "py": "Python", "php": "PHP", "c": "C", "go": "Go"}
LANGUAGES.update({"pl": "Perl", "lua": "Lua"})
BEGIN, END = "<!-- clients: table -->\n\n", "\n<!-- clients: end -->"


def read(path):
    """What was reported, by program, client, version and what was done."""
    reports = {}
    for line in open(path, encoding="utf-8"):
        program, verdict, client, version, what, *details = line.rstrip("\n").split("\t")
        reports[program, client, version, what] = verdict, " ".join(details)
    return reports


def die(*lines):
    sys.exit("\n".join("check-clients: " + line for line in lines))


def refusal(details):
    """The text of the server's error, without what differs from call to call."""
    text = re.search(r"\bERR (.*)", details).group(1)
    return "`ERR %s`" % re.split(r" ['`\"]|[,:;.]", text)[0].strip()


def rows(reports):
    """Of each client: language, versions, what works, what is refused. One row where only versions differ."""
    cells = {}
    for (program, client, version, what), (verdict, details) in reports.items():
        works, refused = cells.setdefault((language(program), client, version), ([], {}))
        if verdict == "works":
            works.append(what)
        else:
            refused.setdefault(refusal(details), []).append(what)
    merged = {}
    for (kind, client, version), (works, refused) in cells.items():
        how = "; ".join("%s: %s" % (", ".join(whats), text) for text, whats in refused.items())
        merged.setdefault((kind, client, ", ".join(works), how), []).append(version)
    return merged


def language(program):
    return None if program == "sequences.py" else LANGUAGES[program.rpartition(".")[2].lower()]


def tables(reports):
    """Of clients, and of those whose commands were sent by another client."""
    lines = ["| client | in | version | works | refused |", "|---|---|---|---|---|"]
    for (kind, client, works, refused), versions in rows(reports).items():
        if kind:
            lines.append("| %s | %s | %s | %s | %s |" % (client, kind, ", ".join(versions), works, refused))
    lines += ["", "By their commands:", "", "| consumer | source | works | refused |", "|---|---|---|---|"]
    for (kind, client, works, refused), sources in rows(reports).items():
        if not kind:
            lines.append("| %s | %s | %s | %s |" % (client, ", ".join(sources), works, refused))
    return "\n".join(lines) + "\n"


def print_reports(reports):
    """A line for each client, with what it did, what was expected and what was found."""
    lines = {}
    for (_, client, version, what), (verdict, details) in reports.items():
        lines.setdefault((client, version), []).append(" ".join([what, verdict, details[:120]]).strip())
    for client, whats in lines.items():
        print("%s %s: %s" % (*client, "; ".join(whats)))


def without_versions(lines):
    """The rows, of which those of clients have five cells: an update of Debian changes no more than their versions."""
    rows = [line.split("|") for line in lines]
    return ["|".join(row[:3] + row[4:] if len(row) == 7 else row) for row in rows]


def main(arguments):
    if arguments[0] == "--reference":
        failed = [report for report in read(arguments[1]).items() if report[1][0] != "works"]
        if failed:
            die(*("not on Redis either: %s" % (report,) for report in failed))
        return
    page, one, three = arguments[-3], read(arguments[-2]), read(arguments[-1])
    wrong = ["%s on %s: %s" % (key, nodes, report) for nodes, reports in (("one node", one), ("three nodes", three))
             for key, report in reports.items() if report[0] == "wrong"]
    differ = [str(key) for key in {*one, *three} if one.get(key, "?")[0] != three.get(key, "?")[0]]
    if wrong or differ:
        die(*wrong, *("one node and three differ: " + key for key in differ))
    print_reports(three)
    if "--no-table" in arguments:
        return
    text = open(page, encoding="utf-8").read()
    before, _, rest = text.partition(BEGIN)
    shown, _, after = rest.partition(END)
    made = tables(one)
    if "--write" in arguments:
        open(page, "w", encoding="utf-8").write(before + BEGIN + made + END + after)
    elif shown != made:
        shows, should = shown.splitlines(), made.splitlines()
        differences = ["shows " + line for line in shows if line not in should]
        differences += ["should show " + line for line in should if line not in shows]
        if without_versions(shows) != without_versions(should):
            die("%s differs; scripts/check-clients --write writes it" % page, *differences)
        print("check-clients: %s names other versions" % page, *differences, sep="\n")


main(sys.argv[1:])
