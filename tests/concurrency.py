"""Concurrent calls in tests of locks on PostgreSQL."""

import threading
from collections.abc import Callable

from django.db import connection


def run_concurrently(*calls: Callable[[], object]) -> list[object]:
    """Run the calls at the same time, each in its own thread.

    Return the result of each call, or the exception that ended it, in the order in which they ended.
    """
    gate = threading.Barrier(len(calls))
    results = list[object]()

    def run(call: Callable[[], object]) -> None:
        try:
            gate.wait()
            results.append(call())
        except Exception as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def list_errors(*calls: Callable[[], object]) -> list[str]:
    """Run the calls at the same time, and return the exceptions as text."""
    errors = (result for result in run_concurrently(*calls) if isinstance(result, Exception))
    return [f"{type(error).__name__}: {error}" for error in errors]
