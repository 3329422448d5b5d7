"""The project and the top floor: knows the other two, and is known by nobody."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
