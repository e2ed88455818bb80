package io.tallis.acl;

import io.tallis.command.facts.CommandFacts;
import io.tallis.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// The rules of a user in the making.
final class RulesEditor {
    private static final String SANITIZE = "sanitize-payload";
    private static final int DIGEST_LENGTH = 64;

    private final CommandFacts facts;
    private final List<String> passwords;
    private final List<Selector> others;
    private SelectorEditor root;
    private boolean enabled;
    private boolean noPassword;
    private String payload;

    RulesEditor(Rules rules, CommandFacts facts) {
        this.facts = facts;
        enabled = rules.enabled();
        noPassword = rules.noPassword();
        payload = rules.payload();
        passwords = new ArrayList<>(rules.passwords());
        root = new SelectorEditor(facts, rules.selectors().getFirst());
        others = new ArrayList<>(rules.selectors().subList(1, rules.selectors().size()));
    }

    Rules rules() {
        List<Selector> selectors = new ArrayList<>(others);
        selectors.addFirst(root.selector());
        return new Rules(enabled, noPassword, payload, List.copyOf(passwords), List.copyOf(selectors));
    }

    /// Throws [RuleException].
    void apply(String rule) {
        switch (Rules.keyword(rule)) {
            case "" -> {}
            case "on" -> enabled = true;
            case "off" -> enabled = false;
            case "nopass" -> setNoPassword(true);
            case "resetpass" -> setNoPassword(false);
            case SANITIZE, "skip-sanitize-payload" -> payload = Rules.keyword(rule);
            case "clearselectors" -> others.clear();
            case "reset" -> reset();
            default -> applyOther(rule);
        }
    }

    private void applyOther(String rule) {
        switch (rule.charAt(0)) {
            case '>' -> addPassword(rule, digest(rule));
            case '#' -> addPassword(rule, requireDigest(rule));
            case '<' -> removePassword(rule, digest(rule));
            case '!' -> removePassword(rule, requireDigest(rule));
            case '(' -> addSelector(rule);
            default -> root.apply(rule);
        }
        int patterns =
                root.patterns() + others.stream().mapToInt(Selector::patterns).sum();
        Bounds.requireRoom(rule, patterns - 1, Bounds.MOST_PATTERNS, "patterns");
    }

    private void setNoPassword(boolean none) {
        noPassword = none;
        passwords.clear();
    }

    private void reset() {
        enabled = false;
        payload = SANITIZE;
        setNoPassword(false);
        others.clear();
        root = new SelectorEditor(facts);
    }

    private void addPassword(String rule, String digest) {
        if (!passwords.contains(digest)) {
            Bounds.requireRoom(rule, passwords.size(), Bounds.MOST_PASSWORDS, "passwords");
            passwords.add(digest);
        }
        noPassword = false;
    }

    private void removePassword(String rule, String digest) {
        if (!passwords.remove(digest)) {
            throw new RuleException(rule, "The password you are trying to remove from the user does not exist");
        }
    }

    private static String digest(String rule) {
        byte[] password = rule.substring(1).getBytes(StandardCharsets.ISO_8859_1);
        return hexDigest(password);
    }

    static String hexDigest(byte[] password) {
        return HexFormat.of().formatHex(Sha256.of(password));
    }

    private static String requireDigest(String rule) {
        String digest = rule.substring(1);
        boolean isHex =
                digest.chars().allMatch(letter -> (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'));
        if (digest.length() != DIGEST_LENGTH || !isHex) {
            throw new RuleException(
                    rule,
                    "The password hash must be exactly 64 characters and contain only lowercase hexadecimal"
                            + " characters");
        }
        return digest;
    }

    private void addSelector(String rule) {
        if (!rule.endsWith(")") || rule.length() < 2) {
            throw new RuleException(rule, RuleException.SYNTAX);
        }
        Bounds.requireRoom(rule, others.size(), Bounds.MOST_SELECTORS, "selectors");
        SelectorEditor selector = new SelectorEditor(facts);
        for (String part : Words.split(rule.substring(1, rule.length() - 1))) {
            try {
                selector.apply(part);
            } catch (RuleException wrong) {
                throw new RuleException(rule, wrong.reason());
            }
        }
        others.add(selector.selector());
    }
}
