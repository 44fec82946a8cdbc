"""A worker made with aiohttp: everything is witnessed, and `/moved/X` leads to `/X`."""

import socket

from aiohttp import web
from asking import witness


async def take(request):
    witness(request.match_info["name"])
    return web.Response(text=request.match_info["name"])


async def moved(request):
    name = request.match_info["name"]
    witness(f"moved/{name}")
    raise web.HTTPTemporaryRedirect(f"/{name}")


app = web.Application()
app.add_routes([web.post("/{name}", take), web.post("/moved/{name}", moved)])
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1])
web.run_app(app, sock=listening, print=None)
