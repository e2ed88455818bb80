"""Receives what a service tells systemd at the socket argv[1] and prints each message as one line, until it is killed."""

import os
import socket
import sys

receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
while True:
    print(receiver.recv(4096).decode().replace("\n", " "), flush=True)
