"""Command that writes the table of docs/reference/commands.md from the help texts of the commands."""

from portal.core.generated_docs import SectionDocsCommand, format_table, iterate_own_commands


class Command(SectionDocsCommand):
    help = "Write the table of docs/reference/commands.md."
    subject = "the help texts of the commands"
    page = "reference/commands.md"
    section = "commands"

    def build_section(self) -> str:
        """Return the portal's own commands as Markdown, sorted by name."""
        rows = ([f"`{name}`", command.help] for name, command in iterate_own_commands())
        return format_table(("Command", "Description"), rows)
