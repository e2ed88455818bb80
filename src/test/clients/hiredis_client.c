/* hiredis: what its users do with counters, at the nodes whose ports TALLIS_PORTS has. */
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 9, HITS = 500, SECONDS = 600 };

static redisContext *nodes[MOST];
static int count, others, wrong;
static char refusal[256]; /* the last error of a server */

static redisReply *reply_of(redisContext *node) {
    void *reply = NULL;
    if (redisGetReply(node, &reply) != REDIS_OK) {
        fprintf(stderr, "hiredis: %s\n", node->errstr);
        exit(1);
    }
    return reply;
}

static redisReply *call(redisContext *node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    redisvAppendCommand(node, format, arguments);
    va_end(arguments);
    return reply_of(node);
}

static long long number(redisReply *reply) {
    long long value = reply->type == REDIS_REPLY_STRING ? atoll(reply->str) : reply->integer;
    if (reply->type == REDIS_REPLY_ERROR) {
        fprintf(stderr, "hiredis: %s\n", reply->str);
        value = -1;
    }
    freeReplyObject(reply);
    return value;
}

static void settle(void) {
    for (int i = 0; i < count; i++) {
        if (number(call(nodes[i], "WAIT %d 10000", others)) != others) {
            fprintf(stderr, "hiredis: nodes did not meet\n");
            exit(1);
        }
    }
}

/* Pipelines this many times the command with a key and a number, at all nodes at once, and reads the replies. */
static void send_everywhere(const char *format, const char *key, int amount, int replies) {
    for (int i = 0; i < count; i++) {
        for (int hit = 0; hit < HITS; hit++) redisAppendCommand(nodes[i], format, key, amount);
    }
    for (int reply = 0; reply < HITS * replies; reply++) {
        for (int i = 0; i < count; i++) {
            redisReply *got = reply_of(nodes[i]);
            if (got->type == REDIS_REPLY_ERROR) snprintf(refusal, sizeof refusal, "%s", got->str);
            freeReplyObject(got);
        }
    }
}

static void report(const char *what, const char *read, const char *key) {
    long long expected = 5LL * HITS * count, found = 0;
    if (refusal[0] != 0) {
        printf("refused\thiredis\t%d.%d.%d\t%s\t%s\t\n", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH, what, refusal);
        refusal[0] = 0;
        return;
    }
    settle();
    call(nodes[count - 1], "EXPIRE %s %d", key, SECONDS);
    settle();
    int right = 1;
    for (int i = 0; i < count; i++) {
        found = number(call(nodes[i], read, key));
        long long left = number(call(nodes[i], "TTL %s", key));
        right &= found == expected && left > SECONDS - 60 && left <= SECONDS;
    }
    wrong |= !right;
    printf("%s\thiredis\t%d.%d.%d\t%s\texpected %lld\tfound %lld\n", right ? "works" : "wrong", HIREDIS_MAJOR,
           HIREDIS_MINOR, HIREDIS_PATCH, what, expected, found);
}

int main(void) {
    char *ports = strdup(getenv("TALLIS_PORTS"));
    char seen[MOST * 8] = "";
    for (char *port = strtok(ports, " "); port != NULL && count < MOST; port = strtok(NULL, " ")) {
        nodes[count] = redisConnect("127.0.0.1", atoi(port));
        if (nodes[count]->err) {
            fprintf(stderr, "hiredis: %s\n", nodes[count]->errstr);
            return 1;
        }
        others += count > 0 && strstr(seen, port) == NULL;
        strcat(strcat(seen, port), " ");
        count++;
    }
    char key[64];
    snprintf(key, sizeof key, "hiredis:%d:counters", getpid());
    send_everywhere("INCRBY %s %d", key, 6, 1);
    send_everywhere("DECRBY %s %d", key, 1, 1);
    report("counters", "GET %s", key);

    snprintf(key, sizeof key, "hiredis:%d:scripts", getpid());
    send_everywhere("EVAL return(redis.call('INCRBY',KEYS[1],ARGV[1])) 1 %s %d", key, 5, 1);
    report("scripts", "GET %s", key);

    snprintf(key, sizeof key, "hiredis:%d:hashes", getpid());
    send_everywhere("HINCRBY %s field %d", key, 5, 1);
    report("hashes", "HGET %s field", key);

    redisReply *pushed = call(nodes[0], "LPUSH hiredis:%d:list 1", getpid());
    int refused = pushed->type == REDIS_REPLY_ERROR;
    printf("%s\thiredis\t%d.%d.%d\tlists\t%s\t\n", refused ? "refused" : "works", HIREDIS_MAJOR, HIREDIS_MINOR,
           HIREDIS_PATCH, refused ? pushed->str : "");
    return wrong;
}
