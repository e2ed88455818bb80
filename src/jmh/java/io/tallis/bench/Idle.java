package io.tallis.bench;

import java.util.List;

/// What members of a group take while nobody wants anything of them.
final class Idle implements Measure {
    @Override
    public String name() {
        return "idle";
    }

    @Override
    public void take(Lab lab, Results results) {
        try (Lab.Groups groups = lab.startGroups()) {
            for (Group group : groups.all()) {
                group.fill(lab.sizes().cluster().quietKeys());
                group.members().forEach(member -> member.server().awaitRest());
            }
            for (int round = 1; round <= lab.rounds(); round++) {
                for (Group group : groups.all()) {
                    sample(lab, group, results);
                }
            }
            groups.all().forEach(Group::audit);
        }
    }

    private static void sample(Lab lab, Group group, Results results) {
        List<Subject> members = group.members();
        double seconds = lab.sizes().cluster().window().toMillis() / 1e3;
        long sentBefore = Heal.sentBytes(members);
        double cpuBefore = cpuSeconds(members);
        Waiting.pause(lab.sizes().cluster().window().toMillis());
        double cpu = (cpuSeconds(members) - cpuBefore) / seconds / members.size() * 100;
        double sent = (Heal.sentBytes(members) - sentBefore) / seconds / members.size();
        results.add(new Metric("idle", "CPU of a member", "% core"), group.side(), cpu);
        lab.say("idle, %s: %.2f %% of a core, %.0f bytes a second", group.side().title(), cpu, sent);
        if (group.side() == Side.TALLIS) {
            results.add(Metric.ofTallis("idle", "bytes a member sends", "B/s", Floor.NONE), Side.TALLIS, sent);
        }
    }

    private static double cpuSeconds(List<Subject> members) {
        return members.stream()
                .mapToDouble(member -> member.server().stat().threadSeconds())
                .sum();
    }
}
