// Clients and limiters from npm: what their users do with counters, at the nodes whose ports TALLIS_PORTS has.
import { readFileSync } from "node:fs";
import express from "express";
import { rateLimit } from "express-rate-limit";
import { RedisStore } from "rate-limit-redis";
import Fastify from "fastify";
import fastifyRateLimit from "@fastify/rate-limit";
import Ioredis from "ioredis";
import Ioredis5 from "ioredis5";
import * as nodeRedis from "redis";
import * as nodeRedis4 from "redis4";
import * as nodeRedis5 from "redis5";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { ThrottlerStorageRedisService as NestLabStorage } from "@nest-lab/throttler-storage-redis";
import { ThrottlerStorageRedisService as NestStorage } from "nestjs-throttler-storage-redis";
import { Queue } from "bullmq";
import AsyncRateLimiter from "async-ratelimiter";
import { Redis as UpstashRedis } from "@upstash/redis";
import { MultiRegionRatelimit, Ratelimit } from "@upstash/ratelimit";

const PORTS = process.env.TALLIS_PORTS.split(" ").map(Number);
const URLS = process.env.TALLIS_URLS ? process.env.TALLIS_URLS.split(" ") : null;
const CLIENTS = 2; // at each node
const HITS = 100; // of each client
const LIMIT = 20;
const SECONDS = 600;

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const unique = (name) => `${name}:${Math.random().toString(36).slice(2)}`;
const each = (count, work) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
const closing = [];
let wrong = 0;

// Connections besides those of the software under test.
const nodes = PORTS.map((port) => new Ioredis(port));
closing.push(() => nodes.forEach((node) => node.disconnect()));

async function settle() {
  const others = new Set(PORTS).size - 1;
  const reached = await Promise.all(nodes.map((node) => node.wait(others, 10_000)));
  if (reached.some((count) => count !== others)) throw new Error(`nodes did not meet: ${reached}`);
}

const onEach = (call) => Promise.all(nodes.map(call));
const successes = (admitted) => admitted.filter((success) => success).length;
const all = (value) => PORTS.map(() => value);

function report(...fields) {
  if (fields[0] === "wrong") wrong++;
  console.log(fields.map((field) => String(field).replace(/\s+/g, " ")).join("\t"));
}

// Work returns what was expected, and what was found. A server's error is a refusal.
async function check(client, release, what, work) {
  try {
    const result = await Promise.race([work(), sleep(40_000).then(() => ["an end", "none within 40 s"])]);
    const [expected, found] = result.map((value) => JSON.stringify(value));
    report(expected === found ? "works" : "wrong", client, release, what, `expected ${expected}`, `found ${found}`);
  } catch (e) {
    const message = [e, ...(e.errors ?? [])].map((error) => error.message).join(" ");
    report(/\bERR /.test(message) ? "refused" : "wrong", client, release, what, message, "");
  }
}

// The one key with this in its name has this value, and one deadline, on each node.
async function counted(tag, value, read = (node, key) => node.get(key).then(Number)) {
  await settle();
  const found = await onEach(async (node) => {
    const keys = (await node.keys(`*${tag}*`)).filter((key) => !/:(blocked|block)$/.test(key));
    if (keys.length !== 1) return keys;
    const left = await node.ttl(keys[0]);
    return [await read(node, keys[0]), left > SECONDS - 60 && left <= SECONDS];
  });
  return [all([value, true]), found];
}

// ---- Clients

async function nodeRedisClient(library, directory) {
  const release = version(directory);
  const increment = library.defineScript({
    NUMBER_OF_KEYS: 1,
    SCRIPT: "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n",
    parseCommand: (parser, key, by) => (parser.pushKey(key), parser.push(String(by), String(SECONDS))),
    transformArguments: (key, by) => [key, String(by), String(SECONDS)],
    transformReply: (reply) => reply,
  });
  const clients = await Promise.all(
    PORTS.flatMap((port) => Array.from({ length: CLIENTS }, async () => {
      const client = library.createClient({ url: `redis://127.0.0.1:${port}`, scripts: { increment } });
      await client.connect();
      closing.push(() => (client.destroy ?? client.disconnect).call(client));
      return client;
    })),
  );
  const atOnce = (work) => Promise.all(clients.map((client) => each(HITS, () => work(client))));
  await plainClient("node-redis", release, clients.length, {
    counters: (key) => atOnce((client) => Promise.all([client.incr(key), client.incrBy(key, 5), client.decr(key)])),
    transaction: (key) => atOnce((client) => client.multi().incrBy(key, 5).expire(key, SECONDS).exec()),
    script: (key) => atOnce((client) => client.increment(key, 5)),
    hash: (key) => atOnce((client) => client.hIncrBy(key, "a field", 5)),
    scan: async (pattern) => {
      const keys = [];
      for await (const found of clients[0].scanIterator({ MATCH: pattern, COUNT: 7 })) keys.push(found);
      return keys.flat();
    },
    list: (key) => clients[0].lPush(key, "1"),
    end: (key) => clients[0].set(key, 1, { EX: SECONDS, NX: true }),
    expire: (key) => clients.at(-1).expire(key, SECONDS),
  });
}

async function ioredisClient(Library, directory) {
  const clients = PORTS.flatMap((port) => Array.from({ length: CLIENTS }, () => new Library(port)));
  for (const client of clients) {
    closing.push(() => client.disconnect());
    client.defineCommand("increment", {
      numberOfKeys: 1,
      lua: "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n",
    });
  }
  const atOnce = (work) => Promise.all(clients.map((client) => each(HITS, () => work(client))));
  const first = (results) => {
    const failed = results.find(([e]) => e);
    if (failed) throw failed[0];
  };
  await plainClient("ioredis", version(directory), clients.length, {
    counters: (key) => atOnce((client) => client.pipeline().incr(key).incrby(key, 5).decr(key).exec().then(first)),
    transaction: (key) => atOnce((client) => client.multi().incrby(key, 5).expire(key, SECONDS).exec().then(first)),
    script: (key) => atOnce((client) => client.increment(key, 5, SECONDS)),
    hash: (key) => atOnce((client) => client.hincrby(key, "a field", 5)),
    scan: async (pattern) => (await clients[0].scanStream({ match: pattern, count: 7 }).toArray()).flat(),
    list: (key) => clients[0].lpush(key, "1"),
    end: (key) => clients[0].set(key, 1, "EX", SECONDS, "NX"),
    expire: (key) => clients.at(-1).expire(key, SECONDS),
  });
}

async function plainClient(name, release, clients, does) {
  const total = 5 * HITS * clients;
  await check(name, release, "counters", async () => {
    const key = unique("counters");
    await does.counters(key);
    await settle();
    await does.expire(key);
    return counted(key, total);
  });
  await check(name, release, "transactions", async () => {
    const key = unique("transactions");
    await does.transaction(key);
    return counted(key, total);
  });
  await check(name, release, "scripts", async () => {
    const key = unique("scripts");
    await does.script(key);
    return counted(key, total);
  });
  await check(name, release, "hashes", async () => {
    const key = unique("hashes");
    await does.hash(key);
    await settle();
    await does.expire(key);
    return counted(key, total, async (node, key) => Number((await node.hgetall(key))["a field"]));
  });
  await check(name, release, "`SCAN`", async () => {
    const tag = unique("scan");
    await each(20, (i) => nodes[i % nodes.length].incr(`${tag}:${i}`));
    await settle();
    return [20, new Set(await does.scan(`${tag}:*`)).size];
  });
  await check(name, release, "lists", async () => [1, await does.list(unique("list"))]);
}

// ---- Limiters

// Make connects a limiter to a port, with a limit and a window in seconds. Its hit returns whether it was admitted. Of
// clients that ask n nodes at once, the limit is admitted at least and n times at most, and then none.
async function limiter(name, directory, make) {
  const release = version(directory);
  const limiters = (options) => Promise.all(PORTS.map((port, node) => make({ port, node, ...options })));
  await check(name, release, "sums", async () => {
    const tag = unique("count");
    const made = await limiters({ limit: 1_000_000, seconds: SECONDS, tag });
    await made[0]();
    await settle();
    await Promise.all(made.flatMap((hit) => Array.from({ length: CLIENTS }, () => each(HITS, hit))));
    return counted(tag, 1 + HITS * CLIENTS * PORTS.length);
  });
  await checkLimits(name, release, limiters);
  await check(name, release, "limits at once", async () => {
    const made = await limiters({ limit: LIMIT, seconds: SECONDS, tag: unique("crowd") });
    const admitted = await Promise.all(made.flatMap((hit) => Array.from({ length: CLIENTS }, () => each(HITS, hit))));
    const count = successes(admitted.flat());
    await settle();
    const open = successes(await Promise.all(made.map((hit) => hit())));
    return [[true, 0], [count >= LIMIT && count <= LIMIT * new Set(PORTS).size, open]];
  });
  await checkWindows(name, release, limiters);
}

async function checkLimits(name, release, limiters) {
  await check(name, release, "limits", async () => {
    const made = await limiters({ limit: LIMIT, seconds: SECONDS, tag: unique("limit") });
    const admitted = [];
    for (let i = 0; i < 2 * LIMIT; i++) {
      admitted.push(await made[i % made.length]());
      await settle();
    }
    return [[LIMIT, 0], [admitted.slice(0, LIMIT), admitted.slice(LIMIT)].map(successes)];
  });
}

async function checkWindows(name, release, limiters) {
  await check(name, release, "windows", async () => {
    const made = await limiters({ limit: 1, seconds: 1, tag: unique("end") });
    const admitted = [await made[0]()];
    await settle();
    admitted.push(await made.at(-1)());
    await settle();
    await sleep(1_100);
    admitted.push(await made.at(-1)());
    return [[true, false, true], admitted];
  });
}

// It names each request by its time, so requests of one moment would be one.
function asyncLimiter(db, { limit, seconds, tag }) {
  const made = new AsyncRateLimiter({ db, max: limit, duration: seconds * 1_000, namespace: tag });
  return async () => (await made.get({ id: "client" })).remaining > 0;
}

function connection(port) {
  const client = new Ioredis(port);
  closing.push(() => client.disconnect());
  return client;
}

const flexibleLimiter = ({ port, limit, seconds, tag }) => {
  const storeClient = connection(port);
  const limiter = new RateLimiterRedis({ storeClient, points: limit, duration: seconds, keyPrefix: tag });
  return () => limiter.consume("ann").then(() => true, (e) => {
    if (e instanceof Error) throw e;
    return false;
  });
};

const expressLimiter = async ({ port, limit, seconds, tag }) => {
  const client = connection(port);
  const app = express();
  app.use(rateLimit({
    windowMs: 1_000 * seconds,
    limit,
    keyGenerator: () => "ann",
    store: new RedisStore({ prefix: tag, sendCommand: (...args) => client.call(...args) }),
  }));
  app.get("/", (_, response) => response.send("admitted"));
  const server = await new Promise((resolve) => { const made = app.listen(0, "127.0.0.1", () => resolve(made)); });
  closing.push(() => (server.close(), server.closeAllConnections()));
  return () => admittedBy(fetch(`http://127.0.0.1:${server.address().port}/`));
};

const fastifyLimiter = async ({ port, limit, seconds, tag }) => {
  const app = Fastify();
  await app.register(fastifyRateLimit, {
    max: limit,
    timeWindow: 1_000 * seconds,
    redis: connection(port),
    nameSpace: tag,
    keyGenerator: () => "ann",
  });
  app.get("/", () => "admitted");
  await app.ready();
  closing.push(() => app.close());
  const toFetched = (response) => ({ status: response.statusCode, text: () => response.body });
  return () => admittedBy(app.inject("/").then(toFetched));
};

async function admittedBy(request) {
  const response = await request;
  const text = await response.text();
  if (response.status !== 200 && response.status !== 429) throw new Error(`${response.status} ${text}`);
  return response.status === 200;
}

const nestLimiter = (Storage) => ({ port, limit, seconds, tag }) => {
  const storage = new Storage(connection(port));
  return async () => !(await storage.increment(tag, 1_000 * seconds, limit, 1_000 * seconds, "default")).isBlocked;
};

function upstash(node, options) {
  return new UpstashRedis({ url: URLS[node], token: "any", enableTelemetry: false, ...options });
}

// Its windows lie on the clock's seconds, so one may end between two requests.
async function upstashLimiters() {
  const release = version("@upstash/ratelimit");
  const options = { analytics: false, ephemeralCache: false };
  const single = (algorithm, tag) =>
    PORTS.map((_, node) => new Ratelimit({ redis: upstash(node), limiter: algorithm, prefix: tag, ...options }));
  const inTurn = async (limiters) => {
    const admitted = [];
    for (let i = 0; i < 2 * LIMIT; i++) {
      admitted.push((await limiters[i % limiters.length].limit("ann")).success);
      await settle();
    }
    return [LIMIT, successes(admitted)];
  };
  await check("@upstash/ratelimit", release, "sums", async () => {
    const tag = unique("count");
    const limiters = single(Ratelimit.fixedWindow(1_000_000, "1 d"), tag);
    await Promise.all(limiters.map(async (limiter) => {
      for (let i = 0; i < HITS; i++) await limiter.limit("ann");
    }));
    await settle();
    const total = String(HITS * PORTS.length);
    return [all(total), await onEach(async (node) => node.get((await node.keys(`*${tag}*`))[0]))];
  });
  await check("@upstash/ratelimit", release, "limits in fixed windows",
    () => inTurn(single(Ratelimit.fixedWindow(LIMIT, "1 d"), unique("fixed"))));
  await check("@upstash/ratelimit", release, "limits in sliding windows",
    () => inTurn(single(Ratelimit.slidingWindow(LIMIT, "1 d"), unique("sliding"))));
  await check("@upstash/ratelimit", release, "limits in several regions",
    () => inTurn([new MultiRegionRatelimit({
      redis: PORTS.map((_, node) => upstash(node)),
      limiter: MultiRegionRatelimit.fixedWindow(LIMIT, "1 d"),
      prefix: unique("regions"),
      ...options,
    })]));
  await check("@upstash/redis", version("@upstash/redis"), "counters, over HTTP", async () => {
    const key = unique("upstash");
    await Promise.all(PORTS.map((_, node) => each(HITS, () => upstash(node).incrby(key, 5))));
    await settle();
    await upstash(0).expire(key, SECONDS);
    return counted(key, 5 * HITS * PORTS.length);
  });
}

await nodeRedisClient(nodeRedis4, "redis4");
await nodeRedisClient(nodeRedis5, "redis5");
await nodeRedisClient(nodeRedis, "redis");
await ioredisClient(Ioredis5, "ioredis5");
await ioredisClient(Ioredis, "ioredis");
await limiter("rate-limiter-flexible", "rate-limiter-flexible", flexibleLimiter);
await limiter("express-rate-limit with rate-limit-redis", "rate-limit-redis", expressLimiter);
await limiter("@fastify/rate-limit", "@fastify/rate-limit", fastifyLimiter);
await limiter("@nest-lab/throttler-storage-redis", "@nest-lab/throttler-storage-redis", nestLimiter(NestLabStorage));
await limiter("nestjs-throttler-storage-redis", "nestjs-throttler-storage-redis", nestLimiter(NestStorage));
if (URLS) await upstashLimiters();
const asyncLimiters = (options) => PORTS.map((port) => asyncLimiter(connection(port), options));
await checkLimits("async-ratelimiter", version("async-ratelimiter"), asyncLimiters);
await checkWindows("async-ratelimiter", version("async-ratelimiter"), asyncLimiters);
await check("BullMQ", version("bullmq"), "jobs", async () => {
  const queue = new Queue(unique("queue").replaceAll(":", "-"), { connection: { port: PORTS[0] } });
  closing.push(() => queue.disconnect());
  queue.on("error", () => {});
  return ["1", (await queue.add("job", {})).id];
});

for (const close of closing.reverse()) await close();
process.exit(wrong > 0 ? 1 : 0);
