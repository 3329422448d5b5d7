"""The partner portal: platform apps and the Django project."""
