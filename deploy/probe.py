"""Does the web server of this container answer, and its database? Ends with 0 or 1; the container's health check."""

import os
import sys
from urllib.error import URLError
from urllib.request import Request, urlopen

host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip()
request = Request("http://127.0.0.1:8000/healthz", headers={"Host": host})
try:
    with urlopen(request, timeout=4) as answer:  # noqa: S310 - the address is written above
        sys.exit(0 if answer.status == 200 else 1)
except (URLError, OSError) as error:
    sys.exit(f"The portal does not answer: {error}")
