// Redigo and go-redis: what their users do with counters, at the nodes whose ports TALLIS_PORTS has.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "gopkg.in/redis.v5"
)

const (
	clients = 2 // at each node
	hits    = 200
	seconds = 600
	add     = "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return n"
)

var (
	ports  = strings.Fields(os.Getenv("TALLIS_PORTS"))
	nodes  []redis.Conn // besides those of the software under test
	others int
	wrong  int
)

func report(fields ...string) {
	if fields[0] == "wrong" {
		wrong++
	}
	for i, field := range fields {
		fields[i] = strings.Join(strings.Fields(field), " ")
	}
	fmt.Println(strings.Join(fields, "\t"))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func settle() {
	for _, node := range nodes {
		if must(redis.Int(node.Do("WAIT", others, 10_000))) != others {
			panic("nodes did not meet")
		}
	}
}

// Runs hit from several clients at each node at once. Then the key has the value, and one deadline, on each node.
func counts[C any](
	name, release, what string,
	connect func(string) C,
	hit func(C, string),
	read func(redis.Conn, string) int,
) {
	defer func() {
		if failure := recover(); failure != nil {
			report(verdictOf(fmt.Sprint(failure)), name, release, what, fmt.Sprint(failure), "")
		}
	}()
	key := fmt.Sprint(what, ":", rand.Int63())
	expected := 5 * hits * clients * len(ports)
	failures := make(chan any, clients*len(ports))
	var running sync.WaitGroup
	for i := 0; i < clients*len(ports); i++ {
		running.Add(1)
		go func(port string) {
			defer running.Done()
			defer func() { failures <- recover() }()
			client := connect(port)
			for j := 0; j < hits; j++ {
				hit(client, key)
			}
		}(ports[i%len(ports)])
	}
	running.Wait()
	for i := 0; i < clients*len(ports); i++ {
		if failure := <-failures; failure != nil {
			panic(failure)
		}
	}
	settle()
	must(nodes[0].Do("EXPIRE", key, seconds))
	settle()
	verdict, found := "works", []int{}
	for _, node := range nodes {
		value, left := read(node, key), must(redis.Int(node.Do("TTL", key)))
		found = append(found, value)
		if value != expected || left <= seconds-60 || left > seconds {
			verdict = "wrong"
		}
	}
	report(verdict, name, release, what, fmt.Sprint("expected ", expected), fmt.Sprint("found ", found))
}

func get(node redis.Conn, key string) int {
	return must(redis.Int(node.Do("GET", key)))
}

func hget(node redis.Conn, key string) int {
	return must(redis.Int(node.Do("HGET", key, "a field")))
}

// Of a failure: a server's error is a refusal.
func verdictOf(failure string) string {
	if strings.HasPrefix(failure, "ERR ") {
		return "refused"
	}
	return "wrong"
}

func lists(name, release string, err error) {
	if err == nil {
		report("works", name, release, "lists", "", "")
	} else {
		report(verdictOf(err.Error()), name, release, "lists", err.Error(), "")
	}
}

func redigo(release string) {
	connect := func(port string) redis.Conn { return must(redis.Dial("tcp", "127.0.0.1:"+port)) }
	script := redis.NewScript(1, add)
	counts("Redigo", release, "counters", connect, func(client redis.Conn, key string) {
		client.Send("INCRBY", key, 6)
		client.Send("DECR", key)
		must(client.Do(""))
	}, get)
	counts("Redigo", release, "transactions", connect, func(client redis.Conn, key string) {
		client.Send("MULTI")
		client.Send("INCRBY", key, 5)
		client.Send("EXPIRE", key, seconds)
		must(client.Do("EXEC"))
	}, get)
	counts("Redigo", release, "scripts", connect, func(client redis.Conn, key string) {
		must(script.Do(client, key, 5, seconds))
	}, get)
	counts("Redigo", release, "hashes", connect, func(client redis.Conn, key string) {
		must(client.Do("HINCRBY", key, "a field", 5))
	}, hget)
	_, err := nodes[0].Do("LPUSH", fmt.Sprint("list:", rand.Int63()), 1)
	lists("Redigo", release, err)
}

func goRedis(release string) {
	connect := func(port string) *goredis.Client {
		return goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:" + port})
	}
	script := goredis.NewScript(add)
	counts("go-redis", release, "counters", connect, func(client *goredis.Client, key string) {
		must(client.Pipelined(func(pipeline *goredis.Pipeline) error {
			pipeline.IncrBy(key, 6)
			pipeline.Decr(key)
			return nil
		}))
	}, get)
	counts("go-redis", release, "transactions", connect, func(client *goredis.Client, key string) {
		must(client.TxPipelined(func(pipeline *goredis.Pipeline) error {
			pipeline.IncrBy(key, 5)
			pipeline.Expire(key, seconds*time.Second)
			return nil
		}))
	}, get)
	counts("go-redis", release, "scripts", connect, func(client *goredis.Client, key string) {
		must(script.Run(client, []string{key}, 5, seconds).Result())
	}, get)
	counts("go-redis", release, "hashes", connect, func(client *goredis.Client, key string) {
		must(client.HIncrBy(key, "a field", 5).Result())
	}, hget)
	lists("go-redis", release, connect(ports[0]).LPush(fmt.Sprint("list:", rand.Int63()), 1).Err())
}

func main() {
	rand.Seed(time.Now().UnixNano())
	distinct := map[string]bool{}
	for _, port := range ports {
		nodes = append(nodes, must(redis.Dial("tcp", "127.0.0.1:"+port)))
		distinct[port] = true
	}
	others = len(distinct) - 1
	redigo(os.Args[1])
	goRedis(os.Args[2])
	if wrong > 0 {
		os.Exit(1)
	}
}
