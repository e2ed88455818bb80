package io.tallis.command.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What commands record for the journal: a change of one counter is one row, whatever it changes of it.
final class RecordsTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    private List<String> recorded(String command) {
        int before = server.journal().size();
        client.says(command);
        return List.copyOf(server.journal().subList(before, server.journal().size()));
    }

    @Test
    void changeOfOneCounter_isOneRow() {
        for (String command : new String[] {
            "INCREX a BYINT 2 UBOUND 9 EX 60",
            "INCREX a SATURATE UBOUND 2 PERSIST",
            "SET a 1 EX 10",
            "SET a text PX 10000",
            "SETEX a 10 text",
            "APPEND a more",
            "SETRANGE a 0 x",
            "EXPIRE a 100",
            "SET a 5 KEEPTTL",
            "INCR a",
            "SET n 1 NX EX 10",
            "CL.THROTTLE limit 9 1 60",
            "CL.THROTTLE limit 9 1 60 9",
            "HCOUNT WINDOW window 9 60",
            "HCOUNT WINDOW window 9 60 8"
        }) {
            assertThat(recorded(command)).as(command).hasSize(1);
        }
    }

    @Test
    void refusedChange_isNoRow() {
        client.says("SET a 5");
        client.says("CL.THROTTLE limit 9 1 60 10");
        client.says("HCOUNT WINDOW window 9 60 9");

        for (String command : new String[] {
            "INCREX a UBOUND 5 EX 60",
            "INCREX none UBOUND 0",
            "INCREX a NX",
            "INCREX none XX",
            "INCREX a SATURATE UBOUND 5",
            "EXPIRE a 100 GT",
            "EXPIRE none 100",
            "TTL a",
            "APPEND a ",
            "SET a 6 NX",
            "CL.THROTTLE limit 9 1 60",
            "CL.THROTTLE other 9 1 60 0",
            "CL.THROTTLE other 9 1 60 11",
            "HCOUNT WINDOW window 9 60",
            "HCOUNT WINDOW none 9 60 0",
            "HCOUNT WINDOW none 9 60 10"
        }) {
            assertThat(recorded(command)).as(command).isEmpty();
        }
    }

    @Test
    void changesOfBothTypesOfAKey_areAGroup() {
        client.says("PNCOUNT INC a 1");
        client.says("GCOUNT INC a 1");

        List<String> rows = recorded("EXPIRE a 100");

        assertThat(rows).hasSize(4);
        assertThat(recorded("PERSIST a")).hasSize(4).first().isEqualTo(rows.getFirst());
        assertThat(recorded("EXPIRE a -1")).hasSize(4).last().isEqualTo(rows.getLast());
    }
}
