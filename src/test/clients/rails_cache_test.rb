# frozen_string_literal: true

require_relative "tallis"
require "active_support/core_ext/numeric/time"

# ActiveSupport's RedisCacheStore, one at each node.
class RailsCacheTest < Minitest::Test
  include Tallis

  def setup
    @stores = URLS.map { |url| rails_cache(url) }
    @key ||= fresh("cached")
  end

  def test_clients_at_once_are_all_counted
    in_processes { |node| 100.times { @stores[node].increment(@key, 3, expires_in: 10.minutes) } }
    in_processes { |node| 100.times { @stores[node].decrement(@key, 1, expires_in: 10.minutes) } }
    settle

    assert_value 100 * 2 * CLIENTS * PORTS.size, @key
    assert_deadline 600, @key
  end

  def test_counter_that_was_written_is_counted_on
    @stores[0].write(@key, 40, raw: true, expires_in: 10.minutes)
    settle

    counts = PORTS.each_index.map { |node| @stores[node].increment(@key, 1, expires_in: 1.day).tap { settle } }

    assert_equal [*1..PORTS.size].map { |i| 40 + i }, counts
    assert_deadline 600, @key
    assert_equal [(40 + PORTS.size).to_s], @stores.map { |store| store.read(@key, raw: true) }.uniq
  end

  def test_count_that_has_ended_begins_again
    @stores[0].increment(@key, 5, expires_in: 1.second)
    settle
    sleep 1.1

    assert_equal 1, @stores[-1].increment(@key, 1, expires_in: 10.minutes)
    settle
    assert_value 1, @key
    assert_deadline 600, @key
  end

  def test_value_is_computed_once_for_all_nodes
    values = @stores.each_with_index.map do |store, i|
      store.fetch(@key, expires_in: 10.minutes) { { "computed_by" => i } }.tap { settle }
    end

    assert_equal [{ "computed_by" => 0 }], values.uniq
    assert_deadline 600, @key
  end

  def test_claim_succeeds_once
    claims = @stores.map { |store| store.write(@key, 1, unless_exist: true, expires_in: 10.minutes).tap { settle } }

    assert_equal [true] + [false] * (PORTS.size - 1), claims
    assert_deadline 600, @key
  end

  def test_deleted_by_pattern_is_gone_from_each_node
    @stores[0].write_multi({ "#{@key}:a" => "1", "#{@key}:b" => "2" }, expires_in: 10.minutes)
    settle
    assert_equal({ "#{@key}:a" => "1", "#{@key}:b" => "2" }, @stores[-1].read_multi("#{@key}:a", "#{@key}:b"))

    @stores[-1].delete_matched("#{@key}:*")
    settle

    assert_equal [{}], @stores.map { |store| store.read_multi("#{@key}:a", "#{@key}:b") }.uniq
  end
end

# kredis has no package: redis-rb, which it uses, sends the transaction of its counter.
class KredisCounterByItsCommandsTest < Minitest::Test
  include Tallis

  def test_clients_at_once_are_all_counted
    key = fresh("kredis")

    in_processes { |node| 100.times { increment(nodes[node], key, 600) } }
    settle

    assert_value 100 * CLIENTS * PORTS.size, key
    assert_deadline 600, key
  end

  def test_count_that_has_ended_begins_again
    key = fresh("kredis")
    assert_equal 1, increment(nodes[0], key, 2)
    settle
    assert_equal 2, increment(nodes[-1], key, 600)
    settle
    sleep 2.1

    assert_equal 1, increment(nodes[-1], key, 600)
    settle
    assert_value 1, key
    assert_deadline 600, key
  end

  private

  def increment(node, key, seconds)
    node.multi do |transaction|
      transaction.set(key, 0, ex: seconds, nx: true)
      transaction.incrby(key, 1)
    end.last
  end
end

Tallis.main(
  ["Rails' `RedisCacheStore`", ActiveSupport::VERSION::STRING, "`increment`, `decrement`, `fetch`, `read_multi`"],
  ["Rails' `RedisCacheStore`", ActiveSupport::VERSION::STRING, "`write` with `unless_exist`, `delete_matched`"]
)
