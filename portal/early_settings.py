"""Settings that bin/up needs before it sets Django up: it starts the broker first, whose address is a setting too."""

from pathlib import Path

from portal import environment

BASE_DIR = Path(__file__).resolve().parents[1]
DATA_DIR = Path(
    environment.read_text(
        "PORTAL_DATA", str(BASE_DIR / ".data"), doc="Folder for the embedded database, uploads and queues."
    )
)
PORT = environment.read_number("PORT", 8000, low=1, doc="Port on 127.0.0.1 that bin/up serves on.")
