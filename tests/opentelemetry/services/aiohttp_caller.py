"""Posts to each of the paths that it is given, after the port."""

import asyncio
import sys

import aiohttp


async def main(port, *paths):
    async with aiohttp.ClientSession() as session:
        for path in paths:
            async with session.post(f"http://127.0.0.1:{port}{path}") as response:
                print(await response.text())


asyncio.run(main(*sys.argv[1:]))
