package io.tallis.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Looks for the few steps after which both servers differ: leaves out halves, quarters and so on of the steps, as long
/// as a difference remains.
final class Shrinker {
    private static final int KIND_LETTERS = "  Tallis x".length();

    private final Duel duel;
    private List<Step> steps;
    private String difference;

    Shrinker(Duel duel, List<Step> steps, String difference) {
        this.duel = duel;
        this.difference = difference;
        this.steps = List.copyOf(steps);
    }

    /// The steps that are left, and the difference; null if it did not come again.
    @Nullable
    String shrunk() throws IOException {
        String again = differenceAfter(steps);
        if (again == null) {
            return null;
        }
        difference = again;
        for (int size = steps.size() / 2; size > 0; size /= 2) {
            for (int at = steps.size() - size; at > -size; at -= size) {
                tryWithout(Math.max(0, at), size);
            }
        }
        StringBuilder text = new StringBuilder();
        steps.forEach(step -> text.append(step).append('\n'));
        return text.append(difference).toString();
    }

    private void tryWithout(int at, int size) throws IOException {
        if (at >= steps.size()) {
            return;
        }
        List<Step> fewer = new ArrayList<>(steps);
        fewer.subList(at, Math.min(steps.size(), at + size)).clear();
        String found = differenceAfter(fewer);
        if (found != null) {
            difference = found;
            steps = List.copyOf(fewer);
        }
    }

    /// What differs: another request than the one that was found would be another fault.
    private static String subject(String difference) {
        // The second word of a line below the request tells the kind of a reply.
        return difference
                .lines()
                .limit(3)
                .map(line -> line.startsWith("  ") ? line.substring(0, Math.min(line.length(), KIND_LETTERS)) : line)
                .collect(Collectors.joining("\n"));
    }

    private @Nullable String differenceAfter(List<Step> some) throws IOException {
        duel.begin();
        try {
            String found = duel.run(some);
            found = found == null ? duel.compareAll() : found;
            return found == null || !subject(found).equals(subject(difference)) ? null : found;
        } catch (IOException e) {
            return subject(e.toString()).equals(subject(difference)) ? e.toString() : null;
        }
    }
}
