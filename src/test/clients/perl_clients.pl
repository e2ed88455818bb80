# Redis.pm and Redis::Fast: what their users do with counters, at the nodes whose ports TALLIS_PORTS has.
use strict;
use warnings;
use Redis;
use Redis::Fast;

use constant { HITS => 300, SECONDS => 600 };

my @ports = split ' ', $ENV{TALLIS_PORTS};
my $others = keys(%{ { map { $_ => 1 } @ports } }) - 1;
my $wrong = 0;

sub report {
    my @fields = map { s/\s+/ /gr } @_;
    $wrong++ if $fields[0] eq 'wrong';
    print join("\t", @fields), "\n";
}

sub client {
    my ($class) = @_;
    my $release = $class->VERSION;
    my $name = $class eq 'Redis' ? 'Redis.pm' : $class;
    my @nodes = map { $class->new(server => "127.0.0.1:$_") } @ports;
    my $settle = sub {
        for (@nodes) { die "nodes did not meet" if $_->wait($others, 10_000) != $others }
    };

    # Hits all nodes at once, in pipelines; then the key has the value, and one deadline, on each node. A server's error
    # is a refusal.
    my $counts = sub {
        my ($what, $hit, $read) = @_;
        my $key = "$what:$$:" . int(rand(1e9));
        my $expected = 5 * HITS * @nodes;
        eval {
            my @failed;
            my $reply = sub { push @failed, $_[1] if defined $_[1] };
            for (1 .. HITS) { $hit->($_, $key, $reply) for @nodes }
            $_->wait_all_responses for @nodes;
            die $failed[0] if @failed;
            $settle->();
            $nodes[0]->expire($key, SECONDS);
            $settle->();
            my @found = map { $read->($_, $key) } @nodes;
            my @left = map { $_->ttl($key) } @nodes;
            my $right = !grep({ $_ != $expected } @found) && !grep { $_ <= SECONDS - 60 || $_ > SECONDS } @left;
            report($right ? 'works' : 'wrong', $name, $release, $what, "expected $expected", "found @found");
            1;
        } or report($@ =~ /\bERR / ? 'refused' : 'wrong', $name, $release, $what, $@, '');
    };
    my $get = sub { $_[0]->get($_[1]) };
    $counts->('counters', sub {
        my ($node, $key, $reply) = @_;
        $node->incrby($key, 6, $reply);
        $node->decr($key, $reply);
    }, $get);
    $counts->('transactions', sub {
        my ($node, $key, $reply) = @_;
        $node->multi($reply);
        $node->incrby($key, 5, $reply);
        $node->exec($reply);
    }, $get);
    $counts->('scripts', sub {
        my ($node, $key, $reply) = @_;
        $node->eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, $key, 5, $reply);
    }, $get);
    $counts->('hashes', sub {
        my ($node, $key, $reply) = @_;
        $node->hincrby($key, 'a field', 5, $reply);
    }, sub { $_[0]->hget($_[1], 'a field') });

    my $length = eval { $nodes[0]->lpush("list:$$:$class", 1) };
    report(defined $length ? 'works' : $@ =~ /\bERR / ? 'refused' : 'wrong', $name, $release, 'lists', $@, '');
}

client($_) for 'Redis', 'Redis::Fast';
exit($wrong > 0);
