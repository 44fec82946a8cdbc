"""Posts to each of the paths that it is given, after the port; tries again what is busy."""

import os
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

session = requests.Session()
session.headers["x-order"] = os.environ.get("ORDER", "")
again = Retry(1, status_forcelist=[503], allowed_methods=["POST"])
session.mount("http://", HTTPAdapter(max_retries=again))
port, *paths = sys.argv[1:]
for path in paths:
    print(session.post(f"http://127.0.0.1:{port}{path}").text)
