package io.tallis.config;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// The setting type of lists of addresses: `host:port,[ipv6]:port`, at least `least` and at most `most` of them.
///
/// Host names are not resolved here.
record Addresses(int least, int most) implements SettingType<List<InetSocketAddress>> {
    private static final String EXPECTED = "argument must be host:port, with a port from 1 to 65535";

    @Override
    public List<InetSocketAddress> parse(String text) {
        List<InetSocketAddress> addresses = Arrays.stream(text.strip().split("[,\\s]+"))
                .filter(word -> !word.isEmpty())
                .map(Addresses::address)
                .toList();
        if (addresses.size() < least || addresses.size() > most) {
            throw new ConfigException(
                    "argument must be " + (most == 1 ? "one address" : "at most " + most) + ", written as host:port");
        }
        return addresses;
    }

    private static InetSocketAddress address(String word) {
        int colon = word.lastIndexOf(':');
        if (colon < 1) {
            throw new ConfigException(EXPECTED);
        }
        String host = word.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        long port = SettingTypes.parseLong(word.substring(colon + 1), EXPECTED);
        if (bare.isEmpty() || (!bracketed && bare.indexOf(':') >= 0) || port < 1 || port > 65535) {
            throw new ConfigException(EXPECTED);
        }
        return InetSocketAddress.createUnresolved(bare, (int) port);
    }

    @Override
    public String canonical(String text) {
        return parse(text).stream().map(Addresses::written).collect(Collectors.joining(","));
    }

    private static String written(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    @Override
    public String label() {
        return "host:port";
    }
}
