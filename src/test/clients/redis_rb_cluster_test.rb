# redis-rb in cluster mode, with its defaults: the load of slots_load.mjs.
require "redis"

KEYS = 1000
WORKERS = 8
MOST_SECONDS = 10
PORTS = ENV.fetch("TALLIS_SLOTS").split.map(&:to_i)

now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
prefix = "redis-rb:#{Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)}:"
key = ->(number) { prefix + (number % KEYS).to_s }
ends = now.call + ENV.fetch("TALLIS_SECONDS").to_f

workers = Array.new(WORKERS) do |number|
  Thread.new do
    cluster = Redis.new(cluster: PORTS.map { |port| "redis://127.0.0.1:#{port}" })
    counted = unknown = i = 0
    longest = 0.0
    last = now.call
    while last < ends
      begin
        cluster.incr(key.call(number * KEYS / WORKERS + i))
        counted += 1
        longest = [longest, now.call - last].max
        last = now.call
      rescue Redis::BaseError
        unknown += 1
        sleep 0.02
      end
      i += 1
    end
    [counted, unknown, longest]
  end
end
results = workers.map(&:value)
counted = results.sum { |result| result[0] }
unknown = results.sum { |result| result[1] }
longest = results.map { |result| result[2] }.max

sums = []
60.times do
  sums = PORTS.map do |port|
    Redis.new(port: port).mget(*Array.new(KEYS, &key)).sum(&:to_i)
  rescue Redis::BaseError => e
    "none (#{e.message})"
  end
  break if sums.uniq.size == 1

  sleep 0.5
end

puts "redis-rb: #{counted} counted, #{unknown} unknown, value #{sums[0]}, longest wait #{(1000 * longest).round} ms"
abort "nodes have #{sums}" unless sums.uniq.size == 1
abort "lost or counted twice" unless sums[0].between?(counted, counted + unknown + WORKERS)
abort "a wait was too long" unless longest < MOST_SECONDS
