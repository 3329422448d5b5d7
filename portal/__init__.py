"""The partner portal: platform apps and the Django project."""

import atexit
import gc

# Loading the project creates half a million objects that stay. Searching them for garbage takes a tenth of the startup
# time, and a quarter of a command's time when Python ends. `PortalConfig.ready` begins regular collections.
gc.set_threshold(1_000_000, 20, 20)
atexit.register(gc.freeze)
