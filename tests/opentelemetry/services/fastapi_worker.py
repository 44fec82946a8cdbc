"""A worker made with FastAPI: everything is witnessed, and `/moved/X` leads to `/X`."""

import asyncio
import socket

import uvicorn
from asking import witness
from fastapi import FastAPI
from fastapi.responses import RedirectResponse

app = FastAPI()


@app.post("/{name}")
async def take(name: str):
    witness(name)
    return name


@app.post("/moved/{name}")
async def moved(name: str):
    witness(f"moved/{name}")
    return RedirectResponse(f"/{name}", 307)


async def serve():
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1])
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve([listening])


asyncio.run(serve())
