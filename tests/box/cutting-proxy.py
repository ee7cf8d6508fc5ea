#!/usr/bin/env python3
"""cutting-proxy.py PORT SECONDS: says its own port, and joins each client with 127.0.0.1:PORT until neither has said a
word for SECONDS, as proxies and gateways do that cut what is quiet."""
import selectors
import socket
import sys
import threading


def join(client, port, patience):
    server = socket.create_connection(("127.0.0.1", port))
    other = {client: server, server: client}
    with selectors.DefaultSelector() as s, client, server:
        for end in other:
            s.register(end, selectors.EVENT_READ)
        while ready := s.select(patience):
            for key, _ in ready:
                data = key.fileobj.recv(65536)
                if not data:
                    return
                other[key.fileobj].sendall(data)


def main():
    port, patience = int(sys.argv[1]), float(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=join, args=(client, port, patience), daemon=True).start()


main()
