"""Health check of the container: exits with 0 if the web server and its database respond, and with 1 otherwise."""

import os
import sys
from urllib.error import URLError
from urllib.request import Request, urlopen

host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip()
request = Request("http://127.0.0.1:8000/healthz", headers={"Host": host})
try:
    with urlopen(request, timeout=4) as response:  # noqa: S310 - a constant URL
        sys.exit(0 if response.status == 200 else 1)
except (URLError, OSError) as error:
    sys.exit(f"The portal does not respond: {error}")
