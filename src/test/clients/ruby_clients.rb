# frozen_string_literal: true

# redis-rb and Sidekiq's statistics: what their users do with counters, at the nodes whose ports TALLIS_PORTS has.

require "json"
require "redis"
require "sidekiq"
require "sidekiq/api"
require "sidekiq/launcher"

PORTS = ENV.fetch("TALLIS_PORTS").split.map(&:to_i)
OTHERS = PORTS.uniq.size - 1
CLIENTS = 2 # threads at each node
HITS = 200
SECONDS = 600
ADD = "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n"
NODES = PORTS.map { |port| Redis.new(port: port) } # besides those of the software under test

$wrong = 0

def report(verdict, *fields)
  $wrong += 1 if verdict == "wrong"
  puts [verdict, *fields].map { |field| field.to_s.gsub(/\s+/, " ") }.join("\t")
end

def settle
  NODES.each { |node| raise "nodes did not meet" unless node.call(["WAIT", OTHERS, 10_000]) == OTHERS }
end

def fresh(name)
  "#{name}:#{rand(1 << 62).to_s(36)}"
end

# The block returns what was expected, and what was found. A server's error is a refusal.
def check(client, release, what)
  expected, found = yield.map(&:to_json)
  report(expected == found ? "works" : "wrong", client, release, what, "expected #{expected}", "found #{found}")
rescue StandardError => e
  report(/\bERR /.match?(e.message) ? "refused" : "wrong", client, release, what, e.message, "")
end

def at_once
  PORTS.product([*1..CLIENTS]).map do |port, _|
    Thread.new do
      client = Redis.new(port: port)
      HITS.times { yield client }
    ensure
      client.close
    end
  end.each(&:join)
end

# The key has this value, and one deadline, on each node.
def counted(key, value, seconds = SECONDS, &read)
  settle
  found = NODES.map do |node|
    [(read ? read.call(node) : node.get(key)).to_i, (seconds - 60..seconds).cover?(node.ttl(key))]
  end
  [[[value, true]] * PORTS.size, found]
end

Thread.report_on_exception = false
total = 5 * HITS * CLIENTS * PORTS.size

check("redis-rb", Redis::VERSION, "counters") do
  key = fresh("counters")
  at_once do |client|
    client.pipelined do |pipeline|
      pipeline.incrby(key, 6)
      pipeline.decr(key)
    end
  end
  settle
  NODES.last.expire(key, SECONDS)
  counted(key, total)
end
check("redis-rb", Redis::VERSION, "transactions") do
  key = fresh("transactions")
  at_once do |client|
    client.multi do |transaction|
      transaction.incrby(key, 5)
      transaction.expire(key, SECONDS)
    end
  end
  counted(key, total)
end
check("redis-rb", Redis::VERSION, "scripts") do
  key = fresh("scripts")
  sha = NODES.map { |node| node.script(:load, ADD) }.last
  at_once { |client| client.evalsha(sha, keys: [key], argv: [5, SECONDS]) }
  counted(key, total)
end
check("redis-rb", Redis::VERSION, "hashes") do
  key = fresh("hashes")
  at_once { |client| client.hincrby(key, "a field", 5) }
  settle
  NODES.last.expire(key, SECONDS)
  counted(key, total) { |node| node.hgetall(key)["a field"] }
end
check("redis-rb", Redis::VERSION, "lists") { [1, NODES[0].lpush(fresh("list"), 1)] }

# Sidekiq's names are fixed, so what was there before counts.
check("Sidekiq's statistics", Sidekiq::VERSION, "`Launcher.flush_stats`") do
  day = Time.now.utc.strftime("%Y-%m-%d")
  before = NODES[0].mget("stat:processed", "stat:failed").map(&:to_i)
  PORTS.each do |port|
    Sidekiq.redis = { url: "redis://127.0.0.1:#{port}", size: 1 }
    HITS.times do
      Sidekiq::Processor::PROCESSED.incr(5)
      Sidekiq::Processor::FAILURE.incr
      Sidekiq::Launcher.flush_stats
    end
  end
  settle
  made = [5, 1].map { |times| times * HITS * PORTS.size }
  found = NODES.map { |node| node.mget("stat:processed", "stat:failed").map(&:to_i) }
  days = NODES.map { |node| node.ttl("stat:processed:#{day}") > 4 * 365 * 86_400 }
  [[[before.zip(made).map(&:sum)] * PORTS.size, [true] * PORTS.size], [found, days]]
end
check("Sidekiq's statistics", Sidekiq::VERSION, "`Stats::History`") do
  found = PORTS.map do |port|
    Sidekiq.redis = { url: "redis://127.0.0.1:#{port}", size: 1 }
    Sidekiq::Stats::History.new(1).processed.values
  end
  day = Time.now.utc.strftime("%Y-%m-%d")
  [[[NODES[0].get("stat:processed:#{day}").to_i]] * PORTS.size, found]
end
check("Sidekiq's statistics", Sidekiq::VERSION, "jobs") do
  Sidekiq.redis = { url: "redis://127.0.0.1:#{PORTS[0]}", size: 1 }
  [true, Sidekiq::Client.push("class" => "Job", "args" => []).is_a?(String)]
end

exit($wrong.zero?)
