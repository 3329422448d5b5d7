"""Settings that bin/up needs before it sets Django up: it starts the broker first, whose address is a setting too."""

from pathlib import Path

from portal import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(
    env.text("PORTAL_DATA", str(BASE_DIR / ".data"), doc="Folder for the embedded database, uploads and queues.")
)
PORT = env.number("PORT", 8000, low=1, doc="Port on 127.0.0.1 that bin/up serves on.")
