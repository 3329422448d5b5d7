"""Django's makemessages, which also collects the messages of YAML content files."""

from pathlib import Path

from django.core.management.commands import makemessages

from portal.core.content_messages import format_as_python

EXTENSIONS = ["html", "md", "txt", "py", "yaml"]


class ContentBuildFile(makemessages.BuildFile):
    """Input file of xgettext. A YAML file is replaced by Python code with its messages."""

    def preprocess(self) -> None:
        """Write the file that xgettext reads instead of the source file."""
        if Path(self.path).suffix != ".yaml":
            super().preprocess()
        else:
            Path(self.work_path).write_text(format_as_python(Path(self.path).read_text("utf-8")), "utf-8")


class Command(makemessages.Command):
    help = "Collect the messages of modules, templates, and content files in a catalog for translators."
    build_file_class = ContentBuildFile

    def handle(self, *args: object, **options: object) -> None:
        """Collect the messages, by default also those of YAML files."""
        if options["domain"] == "django" and not options["extensions"]:
            options["extensions"] = EXTENSIONS
        super().handle(*args, **options)
