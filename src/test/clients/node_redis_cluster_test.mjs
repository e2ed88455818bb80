// node-redis in cluster mode. It asks for the slots again only when a node tells it to, so its user has to make it do
// so when a connection breaks: as src/site/markdown/redis-cluster.md shows.
import { createCluster } from "redis";
import { load, ports } from "./slots_load.mjs";

const cluster = createCluster({
  rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
  defaults: { socket: { reconnectStrategy: 100 } },
});
cluster.on("error", () => {});
cluster.on("node-error", () => {
  const ready = cluster.masters.find((node) => node.client?.isReady);
  if (ready) cluster._slots.rediscover(ready.client).catch(() => {});
});
await cluster.connect();

await load(
  "node-redis",
  (key) => cluster.incr(key),
  () => cluster.masters.length,
);
