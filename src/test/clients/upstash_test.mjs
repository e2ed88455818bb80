// Counts with @upstash/redis, unmodified, against the node at TALLIS_URL.
import assert from "node:assert/strict";
import { Redis } from "@upstash/redis";

const redis = new Redis({ url: process.env.TALLIS_URL, token: "any", enableTelemetry: false });

assert.equal(await redis.ping(), "PONG");
assert.equal(await redis.incr("up:a"), 1);
assert.equal(await redis.incrby("up:a", 41), 42);
assert.equal(await redis.get("up:a"), 42);
assert.equal(await redis.get("up:none"), null);
assert.equal(await redis.set("up:text", "ünï/\u0000"), "OK");
assert.equal(await redis.get("up:text"), "ünï/\u0000");
assert.deepEqual(await redis.mget("up:a", "up:none"), [42, null]);
assert.equal(await redis.expire("up:a", 100), 1);
assert.equal(await redis.ttl("up:a"), 100);

// Beyond 2^53 the client has the digits.
assert.equal(await redis.set("up:big", "9007199254740992"), "OK");
assert.equal(String(await redis.incr("up:big")), "9007199254740993");

const pipeline = redis.pipeline();
pipeline.incr("up:b");
pipeline.get("up:b");
assert.deepEqual(await pipeline.exec(), [1, 1]);

const transaction = redis.multi();
transaction.incr("up:b");
transaction.decrby("up:b", 5);
assert.deepEqual(await transaction.exec(), [2, -3]);

// Commands at the same time go as one pipeline.
const counted = await Promise.all(Array.from({ length: 200 }, () => redis.incr("up:c")));
assert.deepEqual(counted.sort((a, b) => a - b), Array.from({ length: 200 }, (_, i) => i + 1));

const found = [];
let cursor = "0";
do {
  const [next, keys] = await redis.scan(cursor, { match: "up:*", count: 2 });
  found.push(...keys);
  cursor = next;
} while (cursor !== "0");
assert.deepEqual(found.sort(), ["up:a", "up:b", "up:big", "up:c", "up:text"]);

assert.equal(await redis.del("up:a", "up:b", "up:none"), 2);
await assert.rejects(redis.incrby("up:c", 1.5), /not an integer/);
await assert.rejects(redis.lpush("up:c", 1), /lists are not supported/);
console.log("counted right");
