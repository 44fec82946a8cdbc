"""A worker that takes calls of gRPC, without generated code; everything is witnessed."""

from concurrent.futures import ThreadPoolExecutor

import grpc
from asking import witness


def method(name):
    def take(request, context):
        witness(name)
        return request

    return grpc.unary_unary_rpc_method_handler(take)


server = grpc.server(ThreadPoolExecutor(1))
handlers = {name: method(name) for name in ("off", "charge")}
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("Worker", handlers)])
print(server.add_insecure_port("127.0.0.1:0"))
server.start()
server.wait_for_termination()
