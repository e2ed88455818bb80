package io.tallis.fuzz;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A reply as it was on the wire, of RESP2 or RESP3. `type` is its first letter, but `N` is a null string and `A` a
/// null array of RESP2. The items of a map are its keys and values in turn.
record RespReply(char type, String text, List<RespReply> items) {
    boolean isError() {
        return type == '-';
    }

    boolean isStatus(String expected) {
        return type == '+' && text.equals(expected);
    }

    boolean isList() {
        return "*~%>".indexOf(type) >= 0;
    }

    boolean isNull() {
        return "NA_".indexOf(type) >= 0;
    }

    RespReply withDoublesAsStrings() {
        char other = type == ',' ? '$' : type;
        return new RespReply(
                other, text, items.stream().map(RespReply::withDoublesAsStrings).toList());
    }

    /// Whether both are lists of one type with the same items in any order.
    boolean sameInAnyOrder(RespReply other) {
        return type == other.type && isList() && count(items).equals(count(other.items));
    }

    /// The same for a list of pairs.
    boolean samePairsInAnyOrder(RespReply other) {
        return type == other.type && isList() && count(pairs()).equals(count(other.pairs()));
    }

    List<List<RespReply>> pairs() {
        List<List<RespReply>> pairs = new ArrayList<>();
        for (int i = 0; i < items.size(); i += 2) {
            pairs.add(items.subList(i, Math.min(i + 2, items.size())));
        }
        return pairs;
    }

    private static <T> Map<T, Integer> count(List<T> all) {
        Map<T, Integer> count = new HashMap<>();
        all.forEach(one -> count.merge(one, 1, Integer::sum));
        return count;
    }

    @Override
    public String toString() {
        return switch (type) {
            case '-' -> "(error) " + Request.typed(text);
            case ':' -> "(integer) " + text;
            case '+', '$' -> (type == '+' ? "+" : "") + Request.typed(text);
            case 'N', 'A', '_' -> "(nil " + type + ")";
            case '*', '%', '~', '>' -> type + items.toString();
            default -> type + text;
        };
    }
}
