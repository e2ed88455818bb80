# frozen_string_literal: true

require_relative "tallis"
require "rack/attack"
require "rack/attack/version"

# Rack::Attack in front of an application on each node.
module RackAttackTests
  include Tallis

  LIMIT = 20

  def setup
    @name ||= fresh("requests")
    @address ||= "10.#{rand(256)}.#{rand(256)}.#{rand(256)}"
    @stores = Tallis::URLS.map { |url| store(url) }
  end

  def teardown
    super
    Rack::Attack.clear_configuration
  end

  def test_limit_admits_exactly_as_many
    throttle(twenty_minutes)

    statuses = Array.new(3 * LIMIT) { |i| request(i % PORTS.size).tap { settle } }

    assert_equal [200] * LIMIT + [429] * 2 * LIMIT, statuses
    assert_value 3 * LIMIT, key
    assert_deadline 1201, key
  end

  def test_clients_at_once_are_all_counted
    throttle(twenty_minutes)
    request(0)
    settle

    statuses = in_processes { |node| Array.new(100) { request(node) } }.flatten
    settle

    assert_value 1 + 100 * CLIENTS * PORTS.size, key
    assert_deadline 1201, key
    admitted = 1 + statuses.count(200)
    assert_includes LIMIT..LIMIT * PORTS.size, admitted
    assert_equal LIMIT, admitted if PORTS.one?
  end

  def test_window_that_has_ended_admits_again
    throttle(2)

    in_one_window(2) do
      statuses = Array.new(LIMIT + 1) { |i| request(i % PORTS.size).tap { settle } }
      assert_equal [200] * LIMIT + [429], statuses
    end
    sleep 2.1

    assert_equal 200, request(PORTS.size - 1)
  end

  def test_ban_holds_on_each_node
    Rack::Attack.blocklist(@name) do |request|
      Rack::Attack::Fail2Ban.filter("#{@name}:#{request.ip}", maxretry: 3, findtime: twenty_minutes, bantime: 600) do
        request.path == "/wrong"
      end
    end

    3.times { |i| request(i % PORTS.size, "/wrong").tap { settle } }

    assert_equal [403] * PORTS.size, PORTS.each_index.map { |node| request(node) }
    assert_deadline 600, nodes[0].keys("rack::attack:*:ban:#{@name}:*").fetch(0)
  end

  private

  def throttle(period)
    Rack::Attack.throttle(@name, limit: LIMIT, period: period, &:ip)
  end

  def request(node, path = "/")
    Rack::Attack.cache.store = @stores[node]
    @application ||= Rack::MockRequest.new(Rack::Attack.new(->(_) { [200, {}, ["served"]] }))
    @application.get(path, "REMOTE_ADDR" => @address).status
  end

  def key
    nodes[0].keys("rack::attack:*:#{@name}:#{@address}").fetch(0)
  end

  # Windows end at multiples of their period. This one ends in twenty minutes, whenever the test runs.
  def twenty_minutes
    @twenty_minutes ||= Time.now.to_i / 2 + 600
  end

  # Repeats the block with new addresses, up to ten times, until all of it lies in one window.
  def in_one_window(seconds)
    10.times do
      sleep 0.01 until Time.now.to_f % seconds < 0.1
      window = Time.now.to_i / seconds
      failure = nil
      begin
        yield
      rescue Minitest::Assertion => e
        failure = e
      end
      return if failure.nil?
      raise failure if window == Time.now.to_i / seconds

      @address = @address.succ
    end
    flunk "no window was long enough for the requests"
  end
end

class RackAttackOnRedisTest < Minitest::Test
  include RackAttackTests

  def store(url)
    Redis.new(url: url)
  end
end

# Rack::Attack writes the first count of a window with SET. So the first request must have come to all nodes before
# others see the window, as it must have come to the only server before other clients see it.
class RackAttackOnRailsCacheTest < Minitest::Test
  include RackAttackTests

  def store(url)
    rails_cache(url)
  end
end

Tallis.main(
  ["rack-attack on redis-rb", Rack::Attack::VERSION, "sums, limits, windows; Fail2Ban"],
  ["rack-attack on Rails' cache", Rack::Attack::VERSION, "sums, limits, windows; Fail2Ban"]
)
