"""The partner portal: platform apps and the Django project."""

import gc

# Loading the project creates a million objects that stay. With the default of 700 new objects, collecting
# garbage takes a third of the startup time.
gc.set_threshold(50_000, 20, 20)
