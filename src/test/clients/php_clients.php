<?php
// phpredis, predis and Laravel's limiters: what their users do with counters, at the nodes of TALLIS_PORTS.

require_once 'Predis/autoload.php';
require_once 'Illuminate/Cache/autoload.php';
require_once 'Illuminate/Redis/autoload.php';

use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Redis\Limiters\DurationLimiter;
use Illuminate\Redis\RedisManager;

const HITS = 200;
const LIMIT = 20;
const SECONDS = 600;
const ADD = "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n";

$ports = array_map('intval', explode(' ', getenv('TALLIS_PORTS')));
$wrong = 0;

function connect(int $port): Redis
{
    $node = new Redis();
    $node->connect('127.0.0.1', $port);
    return $node;
}

// Connections besides those of the software under test.
$nodes = array_map('connect', $ports);

function settle(): void
{
    global $nodes, $ports;
    $others = count(array_unique($ports)) - 1;
    foreach ($nodes as $node) {
        if ($node->rawCommand('WAIT', $others, 10000) !== $others) {
            throw new Exception('nodes did not meet');
        }
    }
}

function fresh(string $name): string
{
    return $name . ':' . bin2hex(random_bytes(6));
}

function report(string ...$fields): void
{
    global $wrong;
    $wrong += $fields[0] === 'wrong';
    echo implode("\t", preg_replace('/[\s\0]+/', ' ', $fields)), "\n";
}

/** Work returns what was expected, and what was found. A server's error is a refusal. */
function check(string $client, string $release, string $what, callable $work): void
{
    try {
        [$expected, $found] = array_map('json_encode', $work());
        $verdict = $expected === $found ? 'works' : 'wrong';
        report($verdict, $client, $release, $what, "expected $expected", "found $found");
    } catch (Throwable $e) {
        $isRefused = preg_match('/\bERR /', $e->getMessage()) === 1;
        report($isRefused ? 'refused' : 'wrong', $client, $release, $what, $e->getMessage(), '');
    }
}

/** Throws the server's error, which phpredis keeps. */
function checked(Redis $client, mixed $reply): mixed
{
    $error = $client->getLastError();
    $client->clearLastError();
    return $error === null || str_starts_with($error, 'NOSCRIPT') ? $reply : throw new Exception($error);
}

/** Calls work with the index of each node, in processes of their own. Throws what one of them threw. */
function atOnce(callable $work): void
{
    global $ports;
    $failure = tempnam(sys_get_temp_dir(), 'tallis-php');
    $children = [];
    foreach (array_keys($ports) as $node) {
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $work($node);
            } catch (Throwable $e) {
                file_put_contents($failure, $e->getMessage());
            }
            posix_kill(getmypid(), SIGKILL); // runs no destructors, which close what is shared
        }
        $children[] = $child;
    }
    foreach ($children as $child) {
        pcntl_waitpid($child, $status);
    }
    $message = file_get_contents($failure);
    unlink($failure);
    if ($message !== '') {
        throw new Exception($message);
    }
}

/** The key has this value, and one deadline, on each node. */
function counted(string $key, int $value, ?callable $read = null): array
{
    global $nodes;
    settle();
    $found = array_map(function ($node) use ($key, $read) {
        $left = $node->ttl($key);
        return [(int) ($read ? $read($node) : $node->get($key)), $left > SECONDS - 60 && $left <= SECONDS];
    }, $nodes);
    return [array_fill(0, count($nodes), [$value, true]), $found];
}

function plainClient(string $name, string $release, callable $connect, callable $transaction, callable $eval): void
{
    global $ports, $nodes;
    $total = 5 * HITS * count($ports);
    $hit = function (callable $one) use ($connect, $ports) {
        atOnce(function ($node) use ($one, $connect, $ports) {
            $client = $connect($ports[$node]);
            for ($i = 0; $i < HITS; $i++) {
                $one($client);
                if ($client instanceof Redis) {
                    checked($client, null);
                }
            }
        });
    };
    check($name, $release, 'counters', function () use ($hit, $total, $connect, $ports) {
        $key = fresh('counters');
        $hit(fn ($client) => [$client->incrby($key, 6), $client->decr($key)]);
        settle();
        $connect($ports[0])->expire($key, SECONDS);
        return counted($key, $total);
    });
    check($name, $release, 'transactions', function () use ($hit, $total, $transaction) {
        $key = fresh('transactions');
        $hit(fn ($client) => $transaction($client, $key));
        return counted($key, $total);
    });
    check($name, $release, 'scripts', function () use ($hit, $total, $eval) {
        $key = fresh('scripts');
        $hit(fn ($client) => $eval($client, $key));
        return counted($key, $total);
    });
    check($name, $release, 'hashes', function () use ($hit, $total, $connect, $ports) {
        $key = fresh('hashes');
        $hit(fn ($client) => $client->hincrby($key, 'a field', 5));
        settle();
        $connect($ports[0])->expire($key, SECONDS);
        return counted($key, $total, fn ($node) => $node->hgetall($key)['a field']);
    });
}

function laravel(string $release): void
{
    global $ports;
    $limiter = function (int $node, string $prefix) use ($ports) {
        $manager = new RedisManager(null, 'phpredis', ['default' => ['host' => '127.0.0.1', 'port' => $ports[$node]]]);
        return new RateLimiter(new Repository(new RedisStore($manager, $prefix)));
    };
    check('Laravel `RateLimiter`', $release, 'sums', function () use ($limiter, $ports) {
        $prefix = fresh('laravel');
        $limiter(0, $prefix)->hit('ann', SECONDS);
        settle();
        atOnce(function ($node) use ($limiter, $prefix) {
            $mine = $limiter($node, $prefix);
            for ($i = 0; $i < HITS; $i++) {
                $mine->hit('ann', SECONDS);
            }
        });
        return counted("$prefix:ann", 1 + HITS * count($ports));
    });
    check('Laravel `RateLimiter`', $release, 'limits', function () use ($limiter, $ports) {
        $prefix = fresh('laravel');
        $limiters = array_map(fn ($node) => $limiter($node, $prefix), array_keys($ports));
        return inTurn(fn ($node) => $limiters[$node]->attempt('ann', LIMIT, fn () => true, SECONDS));
    });
    check('Laravel `RateLimiter`', $release, 'windows', function () use ($limiter, $ports) {
        $prefix = fresh('laravel');
        $limiters = array_map(fn ($node) => $limiter($node, $prefix), array_keys($ports));
        $last = count($ports) - 1;
        $admitted = [$limiters[0]->attempt('ann', 1, fn () => true, 1)];
        settle();
        $admitted[] = $limiters[$last]->attempt('ann', 1, fn () => true, 1);
        usleep(1_200_000);
        $admitted[] = $limiters[$last]->attempt('ann', 1, fn () => true, 1);
        return [[true, false, true], $admitted];
    });
    check('Laravel `Redis::throttle`', $release, 'limits', function () use ($ports) {
        $name = fresh('throttle');
        $limiters = array_map(function ($port) use ($name) {
            $manager = new RedisManager(null, 'phpredis', ['default' => ['host' => '127.0.0.1', 'port' => $port]]);
            return [$manager->connection(), new DurationLimiter($manager->connection(), $name, LIMIT, SECONDS)];
        }, $ports);
        return inTurn(fn ($node) => checked($limiters[$node][0]->client(), $limiters[$node][1]->acquire()));
    });
}

/** Requests that nodes take in turn are admitted up to the limit, and then none. */
function inTurn(callable $hit): array
{
    global $ports;
    $admitted = [0, 0];
    for ($i = 0; $i < 2 * LIMIT; $i++) {
        $admitted[intdiv($i, LIMIT)] += $hit($i % count($ports)) ? 1 : 0;
        settle();
    }
    return [[LIMIT, 0], $admitted];
}

plainClient(
    'phpredis',
    phpversion('redis'),
    'connect',
    fn ($client, $key) => $client->multi()->incrBy($key, 5)->expire($key, SECONDS)->exec(),
    fn ($client, $key) => $client->evalSha(sha1(ADD), [$key, 5, SECONDS], 1)
        ?: $client->eval(ADD, [$key, 5, SECONDS], 1)
);
check('phpredis', phpversion('redis'), 'lists', fn () => [1, checked($nodes[0], $nodes[0]->lPush(fresh('list'), '1'))]);
plainClient(
    'predis',
    Predis\Client::VERSION,
    fn ($port) => new Predis\Client(['port' => $port]),
    fn ($client, $key) => $client->transaction(fn ($tx) => [$tx->incrby($key, 5), $tx->expire($key, SECONDS)]),
    fn ($client, $key) => $client->eval(ADD, 1, $key, 5, SECONDS)
);
$list = fn () => [1, (new Predis\Client(['port' => $ports[0]]))->lpush(fresh('list'), 1)];
check('predis', Predis\Client::VERSION, 'lists', $list);
laravel(trim(shell_exec("dpkg-query -W -f='\${Version}' php-illuminate-cache | sed 's/[+-].*//'")));
exit($wrong > 0 ? 1 : 0);
