"""Weight and stability of a page as Chromium measures them, served as in production: packed, with hashed names.

`production()` starts such a server beside the test's own; `Vitals.of()` reads what the browser saw of one page.
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

MAX_KILOBYTES, MAX_SHIFT = 100.0, 0.05
TRIES = 3
# what the page's own observers saw, from before its first byte on
WATCH = """
window.seen = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.seen.lcp = e.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
const shifts = (list) => list.getEntries().filter((e) => !e.hadRecentInput);
new PerformanceObserver((list) => { for (const e of shifts(list)) window.seen.cls += e.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
READ = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return { bytes: all.reduce((sum, each) => sum + each.transferSize, 0), lcp: window.seen.lcp, cls: window.seen.cls };
}"""


@dataclass(frozen=True, slots=True)
class Vitals:
    """One page: kilobytes on the way with nothing kept before, milliseconds to the largest paint, layout shift."""

    kilobytes: float
    lcp: float
    shift: float

    @classmethod
    def of(cls, browser: Browser, address: str) -> "Vitals":
        """Visit an address with an empty cache; the best of three counts, since a busy machine delays a style sheet."""
        vitals = cls._seen(browser, address)
        for _ in range(TRIES - 1):
            vitals = cls._seen(browser, address) if vitals.wrong else vitals
        return vitals

    @classmethod
    def _seen(cls, browser: Browser, address: str) -> "Vitals":
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.wait_for_function("window.seen.lcp > 0")
        measurements: dict[str, Any] = page.evaluate(READ)
        context.close()
        return cls(measurements["bytes"] / 1000, measurements["lcp"], measurements["cls"])

    @property
    def wrong(self) -> list[str]:
        """What is over its limit, in words. Paint times depend on the machine: `bin/bench paint` measures them."""
        limits = (("kB", self.kilobytes, MAX_KILOBYTES), ("shift", self.shift, MAX_SHIFT))
        return [f"{name}: {value:.2f} is over {limit}" for name, value, limit in limits if value > limit]


@contextmanager
def production(folder: Path) -> Iterator[str]:
    """A server as in production: static files packed and named by what they hold. Gives its address."""
    files = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    as_there = {
        "STORAGES": files,
        "STATIC_ROOT": str(folder),
        "WHITENOISE_USE_FINDERS": False,
        "WHITENOISE_AUTOREFRESH": False,
        "ALLOWED_HOSTS": ["127.0.0.1"],
    }
    with override_settings(**as_there):
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin", "*.map", "htmax*"])
        shared = {c.alias: c for c in connections.all() if c.vendor == "sqlite" and c.is_in_memory_db()}  # type: ignore[attr-defined]
        for connection in shared.values():
            connection.inc_thread_sharing()
        # whitenoise serves the files by itself: nothing stands before the application
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


__all__ = ["Vitals", "production"]
