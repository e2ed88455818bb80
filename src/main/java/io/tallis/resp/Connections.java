package io.tallis.resp;

import io.tallis.command.Client;

/// Who wants to know which clients there are. Called on the event loop of the client.
public interface Connections {
    /// A client has connected and has not been heard yet.
    void opened(Client client);

    /// A client is gone; nothing of it is handled any more. Called once for each that was opened.
    void closed(Client client);
}
