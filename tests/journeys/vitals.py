"""Transfer size and layout shift of a page in Chromium, served as in production: compressed, with hashed file names.

`serve_as_in_production()` starts a second server; `Vitals.measure()` reads the measurements of one page.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connections
from django.test import override_settings
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser

MAX_KILOBYTES = 100.0
MAX_SHIFT = 0.05
MAX_TRIES = 3
# installed before the page loads
OBSERVE = """
window.vitals = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.vitals.lcp = e.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
const shifts = (list) => list.getEntries().filter((e) => !e.hadRecentInput);
new PerformanceObserver((list) => { for (const e of shifts(list)) window.vitals.cls += e.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
READ = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return { bytes: all.reduce((sum, each) => sum + each.transferSize, 0), ...window.vitals };
}"""


@dataclass(frozen=True, slots=True)
class Vitals:
    """One page: kilobytes transferred with an empty cache, milliseconds to the largest paint, and layout shift."""

    kilobytes: float
    lcp: float
    shift: float

    @classmethod
    def measure(cls, browser: Browser, url: str) -> "Vitals":
        """Open a URL with an empty cache. A busy machine can delay a style sheet, so failures are measured again."""
        vitals = cls._measure_once(browser, url)
        for _ in range(MAX_TRIES - 1):
            vitals = cls._measure_once(browser, url) if vitals.violations else vitals
        return vitals

    @classmethod
    def _measure_once(cls, browser: Browser, url: str) -> "Vitals":
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.add_init_script(OBSERVE)
        page.goto(url)
        page.wait_for_load_state("networkidle")
        page.wait_for_function("window.vitals.lcp > 0")
        measurements: dict[str, Any] = page.evaluate(READ)
        context.close()
        return cls(measurements["bytes"] / 1000, measurements["lcp"], measurements["cls"])

    @property
    def violations(self) -> list[str]:
        """Values over their limit. `bin/bench paint` measures paint times, which depend on the machine."""
        limits = (("kB", self.kilobytes, MAX_KILOBYTES), ("shift", self.shift, MAX_SHIFT))
        return [f"{name}: {value:.2f} is over {limit}" for name, value, limit in limits if value > limit]


@contextmanager
def serve_as_in_production(folder: Path) -> Iterator[str]:
    """Start a server whose static files are compressed and have hashed names. Yields its URL."""
    storages = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    production_settings = {
        "STORAGES": storages,
        "STATIC_ROOT": str(folder),
        "WHITENOISE_USE_FINDERS": False,
        "WHITENOISE_AUTOREFRESH": False,
        "ALLOWED_HOSTS": ["127.0.0.1"],
    }
    with override_settings(**production_settings):
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin", "*.map", "htmax*"])
        shared = {c.alias: c for c in connections.all() if c.vendor == "sqlite" and c.is_in_memory_db()}  # type: ignore[attr-defined]
        for connection in shared.values():
            connection.inc_thread_sharing()
        # WhiteNoise is part of the application, so no static files handler is needed
        thread = LiveServerThread("127.0.0.1", lambda handler: handler, connections_override=shared)  # type: ignore[arg-type]
        thread.daemon = True
        thread.start()
        thread.is_ready.wait()
        try:
            if thread.error:
                raise thread.error
            yield f"http://127.0.0.1:{thread.port}"
        finally:
            thread.terminate()
            for connection in shared.values():
                connection.dec_thread_sharing()
