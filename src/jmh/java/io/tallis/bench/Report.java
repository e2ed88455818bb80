package io.tallis.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// All of a run as JSON: the machine, the command line, every sample, and what failed.
final class Report {
    private Report() {}

    static String json(Map<String, Object> machine, List<String> commandLine, Results results) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("machine", machine);
        report.put("command", commandLine);
        report.put("figures", results.figures().stream().map(Report::figure).toList());
        report.put("failures", results.failures());
        return Json.of(report);
    }

    private static Map<String, Object> figure(Figure figure) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("measure", figure.metric().measure());
        members.put("point", figure.metric().point());
        members.put("unit", figure.metric().unit());
        members.put("tallis", samples(figure.tallis()));
        members.put("redis", samples(figure.redis()));
        members.put("ratio", figure.ratio());
        if (figure.metric().floor().isThere()) {
            members.put("floor", figure.metric().floor().toString());
            members.put("met", figure.floorMet());
        }
        return members;
    }

    private static Map<String, Object> samples(Samples samples) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("median", samples.median());
        members.put("samples", samples.values());
        return members;
    }
}
