package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.args.ExpiryOption;
import redis.clients.jedis.params.SetParams;

/// What widely used limiters and counters send for one request, on a connection of a plain client.
enum Limiter {
    RACK_ATTACK {
        @Override
        long hit(Jedis client, String key, int seconds) {
            Pipeline pipeline = client.pipelined();
            Response<Long> count = pipeline.incrBy(key, 1);
            pipeline.expire(key, seconds);
            pipeline.sync();
            return count.get();
        }
    },
    RAILS_CACHE {
        @Override
        long hit(Jedis client, String key, int seconds) {
            Pipeline pipeline = client.pipelined();
            Response<Long> count = pipeline.incrBy(key, 1);
            pipeline.expire(key, seconds, ExpiryOption.NX);
            pipeline.sync();
            return count.get();
        }
    },
    DJANGO {
        @Override
        long hit(Jedis client, String key, int seconds) {
            if (client.set(key, "1", SetParams.setParams().ex(seconds).nx()) != null) {
                return 1;
            }
            assertThat(client.exists(key)).isTrue();
            return client.incrBy(key, 1);
        }
    },
    ENVOY {
        @Override
        long hit(Jedis client, String key, int seconds) {
            return envoy(client, 1, seconds, key + ":hour", key).getLast();
        }
    },
    KREDIS {
        @Override
        long hit(Jedis client, String key, int seconds) {
            Transaction transaction = client.multi();
            transaction.set(key, "0", SetParams.setParams().ex(seconds).nx());
            Response<Long> count = transaction.incrBy(key, 1);
            transaction.exec();
            return count.get();
        }
    },
    REDIS_PY {
        @Override
        long hit(Jedis client, String key, int seconds) {
            Transaction transaction = client.multi();
            Response<Long> count = transaction.incrBy(key, 1);
            transaction.expire(key, seconds);
            transaction.exec();
            return count.get();
        }
    },
    SPRING_ATOMIC_LONG {
        @Override
        long hit(Jedis client, String key, int seconds) {
            boolean isNew = client.sendCommand(Command.SETNX, key, "0").equals(1L);
            long count = client.incrBy(key, 1);
            if (isNew) {
                client.pexpire(key, 1_000L * seconds);
            }
            return count;
        }
    },
    HAMMER {
        @Override
        long hit(Jedis client, String key, int seconds) {
            long end = System.currentTimeMillis() + 1_000L * seconds;
            Pipeline pipeline = client.pipelined();
            Response<Long> count = pipeline.incrBy(key, 1);
            pipeline.pexpireAt(key, end, ExpiryOption.NX);
            pipeline.sync();
            return count.get();
        }
    },
    INCR_THEN_EXPIRE {
        @Override
        long hit(Jedis client, String key, int seconds) {
            long count = client.incr(key);
            if (count == 1) {
                client.expire(key, seconds);
            }
            return count;
        }
    };

    /// Counts one request in the window of a key. Returns the number of requests in it.
    abstract long hit(Jedis client, String key, int seconds);

    /// What Envoy's rate limit service sends for a request that falls under several limits: it reads all of them, and
    /// adds its hits to each, or 0 to those beside one that is used up.
    static List<Long> envoy(Jedis client, long hits, int seconds, String... keys) {
        Pipeline before = client.pipelined();
        for (String key : keys) {
            before.get(key);
        }
        before.sync();
        Pipeline pipeline = client.pipelined();
        List<Response<Long>> counts = new ArrayList<>();
        for (String key : keys) {
            counts.add(pipeline.incrBy(key, hits));
            pipeline.expire(key, seconds);
        }
        pipeline.sync();
        return counts.stream().map(Response::get).toList();
    }
}
