"""Posts to each of the paths that it is given, after the port; every other one with asyncio."""

import asyncio
import sys

import httpx


async def post(url):
    async with httpx.AsyncClient(follow_redirects=True) as client:
        return await client.post(url)


port, *paths = sys.argv[1:]
for number, path in enumerate(paths):
    url = f"http://127.0.0.1:{port}{path}"
    response = asyncio.run(post(url)) if number % 2 else httpx.post(url, follow_redirects=True)
    print(response.text)
