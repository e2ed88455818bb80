package io.tallis.command.cluster;

/// The address where clients reach a node, as the node announces it. Other nodes do not check it: a part that cannot be
/// parsed is empty, or port 0.
public record ClientAddress(String host, int port) {
    private static final int MOST_PORT = 65_535;

    /// Parses `host:port` and `[host]:port`.
    public static ClientAddress of(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return new ClientAddress(text, 0);
        }
        String host = text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new ClientAddress(bracketed ? host.substring(1, host.length() - 1) : host, port(text, colon + 1));
    }

    private static int port(String text, int from) {
        try {
            int port = Integer.parseInt(text, from, text.length(), 10);
            return port >= 0 && port <= MOST_PORT ? port : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
