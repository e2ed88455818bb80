package io.tallis.command;

/// A reply that nobody gets.
enum Silence implements Reply {
    REPLY;

    @Override
    public void ok() {}

    @Override
    public void status(String text) {}

    @Override
    public void error(String text) {}

    @Override
    public void integer(long value) {}

    @Override
    public void unsigned(long value) {}

    @Override
    public void digits(long value) {}

    @Override
    public void unsignedDigits(long value) {}

    @Override
    public void decimal(double value) {}

    @Override
    public void bulk(byte[] bytes, int offset, int length) {}

    @Override
    public void text(String text) {}

    @Override
    public void nil() {}

    @Override
    public void nilArray() {}

    @Override
    public void array(int size) {}

    @Override
    public void map(int size) {}

    @Override
    public void set(int size) {}

    @Override
    public void push(int size) {}
}
