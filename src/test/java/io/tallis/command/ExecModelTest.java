package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Clients that watch, queue and execute in any order, against a model that keeps versions of keys.
final class ExecModelTest {
    private static final List<String> KEYS = List.of("a", "b", "c");

    /// One client as the model sees it.
    private static final class ModelClient {
        final FakeClient client;
        final Map<String, Integer> watched = new HashMap<>();
        final List<String> queue = new ArrayList<>();
        boolean open;

        ModelClient(FakeClient client) {
            this.client = client;
        }
    }

    private static final class Model {
        final Map<String, Long> values = new HashMap<>();
        final Map<String, Integer> versions = new HashMap<>();

        void incr(String key) {
            values.merge(key, 1L, Long::sum);
            versions.merge(key, 1, Integer::sum);
        }

        boolean holds(Map<String, Integer> watched) {
            return watched.entrySet().stream()
                    .allMatch(watch -> versions.getOrDefault(watch.getKey(), 0).equals(watch.getValue()));
        }
    }

    @Test
    void exec_whileTimePasses_hasOneTimeForDeadlinesToo() {
        FakeServer server = new FakeServer();
        FakeClient client = server.connect();
        server.commandsTake(5_000_000);
        client.says("SET a 1");
        client.says("MULTI");
        client.says("PING");
        client.says("EXPIRE a 0");
        client.says("EXISTS a");

        assertThat(client.says("EXEC")).isEqualTo("1) PONG\n2) (integer) 1\n3) (integer) 0");
    }

    @Test
    void transactions_inAnyOrder_doWhatTheModelDoes() {
        Property.forAll(gen -> {
            FakeServer server = new FakeServer();
            Model model = new Model();
            List<ModelClient> clients = List.of(
                    new ModelClient(server.connect()),
                    new ModelClient(server.connect()),
                    new ModelClient(server.connect()));

            for (int step = 0; step < 40; step++) {
                step(gen.pick(clients), gen.pick(KEYS), model, gen);
            }

            FakeClient reader = server.connect();
            for (String key : KEYS) {
                Long value = model.values.get(key);
                assertThat(reader.says("GET " + key)).isEqualTo(value == null ? "(nil)" : "\"" + value + "\"");
            }
        });
    }

    private static void step(ModelClient actor, String key, Model model, Gen gen) {
        switch (gen.between(0, 5)) {
            case 0 -> watch(actor, key, model);
            case 1 -> multi(actor);
            case 2 -> exec(actor, model);
            case 3 -> discard(actor);
            default -> incr(actor, key, model);
        }
    }

    private static void watch(ModelClient actor, String key, Model model) {
        String answer = actor.client.says("WATCH " + key);
        assertThat(answer).isEqualTo(actor.open ? "(error) ERR WATCH inside MULTI is not allowed" : "OK");
        if (!actor.open) {
            actor.watched.putIfAbsent(key, model.versions.getOrDefault(key, 0));
        }
    }

    private static void multi(ModelClient actor) {
        String answer = actor.client.says("MULTI");
        assertThat(answer).isEqualTo(actor.open ? "(error) ERR MULTI calls can not be nested" : "OK");
        actor.open = true;
    }

    private static void exec(ModelClient actor, Model model) {
        String answer = actor.client.says("EXEC");
        if (!actor.open) {
            assertThat(answer).isEqualTo("(error) ERR EXEC without MULTI");
            return;
        }
        if (!model.holds(actor.watched)) {
            assertThat(answer).isEqualTo("(nil)");
        } else if (actor.queue.isEmpty()) {
            assertThat(answer).isEqualTo("(empty array)");
        } else {
            actor.queue.forEach(model::incr);
            assertThat(answer.lines()).hasSameSizeAs(actor.queue);
        }
        forget(actor);
    }

    private static void discard(ModelClient actor) {
        String answer = actor.client.says("DISCARD");
        assertThat(answer).isEqualTo(actor.open ? "OK" : "(error) ERR DISCARD without MULTI");
        if (actor.open) {
            forget(actor);
        }
    }

    private static void forget(ModelClient actor) {
        actor.open = false;
        actor.queue.clear();
        actor.watched.clear();
    }

    private static void incr(ModelClient actor, String key, Model model) {
        String answer = actor.client.says("INCR " + key);
        if (actor.open) {
            assertThat(answer).isEqualTo("QUEUED");
            actor.queue.add(key);
        } else {
            model.incr(key);
            assertThat(answer).isEqualTo("(integer) " + model.values.get(key));
        }
    }
}
