// The load of a client of Redis Cluster while a node dies and comes back. Prints one line; exits with 1 if it is wrong.
//
// TALLIS_SLOTS has the ports of the nodes for such clients, TALLIS_SECONDS is how long to count.
import assert from "node:assert/strict";
import net from "node:net";

const KEYS = 1000;
const WORKERS = 16;
const FIRST_OF_WORKER = Math.floor(KEYS / WORKERS);
const MOST_MILLIS = 10_000;

export const ports = process.env.TALLIS_SLOTS.split(" ").map(Number);
export const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

/** One command on a connection of its own, without a library. */
function call(port, ...words) {
  return new Promise((done, fail) => {
    const socket = net.connect(port, "127.0.0.1");
    let reply = "";
    socket.on("data", (bytes) => {
      reply += bytes;
      const end = reply.indexOf("\r\n");
      if (end < 0 || (reply[0] === "$" && reply.indexOf("\r\n", end + 2) < 0 && !reply.startsWith("$-1"))) return;
      socket.destroy();
      done(reply[0] === "$" ? reply.slice(end + 2, -2) : reply.slice(1, end));
    });
    socket.on("error", fail);
    socket.write(`*${words.length}\r\n` + words.map((word) => `$${word.length}\r\n${word}\r\n`).join(""));
  });
}

/**
 * Counts with `incr(key)`, which rejects if it is unknown whether it counted. A node is killed meanwhile, and each
 * worker may have had one command on its way to it that a client sent again.
 */
export async function load(name, incr, nodes) {
  assert.equal(await nodes(), ports.length, `${name} knows all nodes`);
  const run = Date.now();
  const key = (number) => `${name}:${run}:${number % KEYS}`;
  const until = Date.now() + 1000 * Number(process.env.TALLIS_SECONDS);
  let counted = 0;
  let unknown = 0;
  let longest = 0;
  const worker = async (number) => {
    let last = Date.now();
    for (let i = 0; last < until; i++) {
      try {
        await incr(key(number * FIRST_OF_WORKER + i));
        counted++;
        longest = Math.max(longest, Date.now() - last);
        last = Date.now();
      } catch (error) {
        unknown++;
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, i) => worker(i)));

  const sum = async (port) => {
    let total = 0;
    for (let i = 0; i < KEYS; i++) total += Number(await call(port, "GET", key(i)));
    return total;
  };
  let sums;
  for (let attempt = 0; attempt < 60; attempt++) {
    sums = await Promise.all(ports.map((port) => sum(port).catch((error) => `none (${error.message})`)));
    if (new Set(sums).size === 1) break;
    await sleep(500);
  }
  console.log(`${name}: ${counted} counted, ${unknown} unknown, value ${sums[0]}, longest wait ${longest} ms`);
  assert.deepEqual(new Set(sums).size, 1, `nodes have ${sums}`);
  assert.ok(sums[0] >= counted, "nothing that was counted is lost");
  assert.ok(sums[0] <= counted + unknown + WORKERS, "nothing is counted twice");
  assert.ok(longest < MOST_MILLIS, `waits end within ${MOST_MILLIS} ms`);
  process.exit();
}
