-- redis-lua: what its users do with counters, at the nodes whose ports TALLIS_PORTS has.
local redis = require "redis"

local HITS, SECONDS = 300, 600
local release = redis._VERSION:match("%d[%d.]*")
local nodes, seen, others, wrong = {}, {}, -1, 0

redis.commands.wait = redis.command("WAIT")
for port in os.getenv("TALLIS_PORTS"):gmatch("%d+") do
  if not seen[port] then others = others + 1 end
  seen[port] = true
end

-- Anew for each check: of a pipeline that fails replies are left.
local function connect()
  nodes = {}
  for port in os.getenv("TALLIS_PORTS"):gmatch("%d+") do
    nodes[#nodes + 1] = redis.connect("127.0.0.1", tonumber(port))
  end
end

local function report(verdict, what, ...)
  if verdict == "wrong" then wrong = wrong + 1 end
  print(table.concat({ verdict, "redis-lua", release, what, ... }, "\t"))
end

-- The error of the server, if the failure is one.
local function refusal(failure)
  return tostring(failure):gsub("%s+", " "):match("ERR .*")
end

local function settle()
  for _, node in ipairs(nodes) do assert(node:wait(others, 10000) == others, "nodes did not meet") end
end

-- Each node in turn is sent a pipeline. Then the key has the value, and one deadline, on each node.
local function counts(what, hit, read)
  connect()
  local key = what .. ":" .. os.time() .. ":" .. tostring(nodes):match("%w+$")
  local expected = 5 * HITS * #nodes
  local ran, failure = pcall(function()
    for _ = 1, HITS / 20 do
      for _, node in ipairs(nodes) do
        node:pipeline(function(pipeline)
          for _ = 1, 20 do hit(pipeline, key) end
        end)
      end
    end
    settle()
    nodes[1]:expire(key, SECONDS)
    settle()
    local right, found = true, {}
    for i, node in ipairs(nodes) do
      found[i] = read(node, key)
      local left = node:ttl(key)
      right = right and tonumber(found[i]) == expected and left > SECONDS - 60 and left <= SECONDS
    end
    report(right and "works" or "wrong", what, "expected " .. expected, "found " .. table.concat(found, " "))
  end)
  if not ran then report(refusal(failure) and "refused" or "wrong", what, refusal(failure) or failure, "") end
end

local function get(node, key) return node:get(key) end

counts("counters", function(pipeline, key) pipeline:incrby(key, 6) pipeline:decr(key) end, get)
counts("scripts", function(pipeline, key)
  pipeline:eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, key, 5)
end, get)
counts("hashes", function(pipeline, key) pipeline:hincrby(key, "a field", 5) end, function(node, key)
  return node:hget(key, "a field")
end)

connect()
local pushed, text = pcall(function() return nodes[1]:lpush("list:" .. os.time(), 1) end)
report(pushed and "works" or refusal(text) and "refused" or "wrong", "lists", refusal(text) or text, "")
os.exit(wrong > 0 and 1 or 0)
