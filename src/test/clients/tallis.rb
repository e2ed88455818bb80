# frozen_string_literal: true

require "minitest"
require "redis"
require "active_support"
require "active_support/cache/redis_cache_store"

# The nodes that a test uses: one, or all of a cluster. TALLIS_PORTS has their ports.
module Tallis
  PORTS = ENV.fetch("TALLIS_PORTS").split.map(&:to_i)
  URLS = PORTS.map { |port| "redis://127.0.0.1:#{port}" }
  CLIENTS = 2 # processes at each node

  # Runs the tests; reports the rows, of a client, its version and what it does, if all of them passed.
  def self.main(*rows)
    passed = Minitest.run
    rows.each { |row| puts [passed ? "works" : "wrong", *row, "", ""].join("\t") }
    exit passed
  end

  # Rails' cache on a node. It ignores what its error handler raises, but not an exit.
  def rails_cache(url)
    ActiveSupport::Cache::RedisCacheStore.new(url: url, error_handler: ->(exception:, **) { abort exception.inspect })
  end

  # A connection to each node, besides those of the software under test.
  def nodes
    @nodes ||= PORTS.map { |port| Redis.new(host: "127.0.0.1", port: port) }
  end

  def teardown
    nodes.each(&:close)
  end

  def fresh(name)
    "#{name}:#{rand(1 << 62).to_s(36)}"
  end

  # Waits until each node has what any of them has.
  def settle
    nodes.each { |node| assert_equal PORTS.size - 1, node.call(["WAIT", PORTS.size - 1, 10_000]) }
  end

  def assert_value(value, key)
    assert_equal [value.to_s] * PORTS.size, nodes.map { |node| node.get(key) }, key
  end

  # Asserts that the key has one deadline, the same on each node, in this many seconds or up to a minute less.
  def assert_deadline(seconds, key)
    nodes.each { |node| assert_includes seconds - 60..seconds, node.ttl(key), key }
    assert_equal 1, nodes.map { |node| node.call(["PEXPIRETIME", key]) }.uniq.size, key
  end

  # Runs the block in processes of their own, with the index of a node each; returns what the blocks returned. Each
  # process connects anew, as those of a server that forks do.
  def in_processes
    running = PORTS.each_index.to_a.product([*1..CLIENTS]).map do |node, _|
      IO.popen("-", "rb") || begin
        @nodes = nil
        setup
        print Marshal.dump(yield(node))
        $stdout.flush
        exit! 0
      end
    end
    running.map { |process| Marshal.load(process.read) }
  ensure
    running.each(&:close)
  end
end
