"""A worker made with Flask: everything is witnessed, `/X` is answered with the header that came,
`/moved/X` leads to `/X`, and `/busy/X` is so once."""

from asking import witness
from flask import Flask, redirect, request
from werkzeug.serving import make_server

app = Flask(__name__)
busy = set()


@app.post("/<name>")
def take(name):
    witness(name)
    return request.headers.get("choreomon", "")


@app.post("/moved/<name>")
def moved(name):
    witness(f"moved/{name}")
    return redirect(f"/{name}", 307)


@app.post("/busy/<name>")
def is_busy(name):
    witness(f"busy/{name}")
    if name in busy:
        return name
    busy.add(name)
    return "busy", 503


server = make_server("127.0.0.1", 0, app)
print(server.server_port)
server.serve_forever()
