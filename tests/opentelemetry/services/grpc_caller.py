"""Calls each of the methods that it is given, after the port."""

import sys

import grpc

port, *names = sys.argv[1:]
with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
    for name in names:
        print(channel.unary_unary(f"/Worker/{name}")(b"x"))
