// ioredis in cluster mode, with its defaults.
import Redis from "ioredis";
import { load, ports } from "./slots_load.mjs";

const cluster = new Redis.Cluster(ports.map((port) => ({ host: "127.0.0.1", port })));
cluster.on("error", () => {});
await new Promise((ready) => cluster.once("ready", ready));

await load(
  "ioredis",
  (key) => cluster.incr(key),
  () => cluster.nodes("master").length,
);
