package io.tallis.http;

import io.tallis.resp.FrontEnd;

/// Adds up what a client has sent and got.
final class Traffic implements FrontEnd.Meter {
    int received;
    int sent;

    @Override
    public void received(int bytes) {
        received += bytes;
    }

    @Override
    public void sent(int bytes) {
        sent += bytes;
    }
}
