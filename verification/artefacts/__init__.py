"""What do the files of a release say? Pure functions over bytes; nothing is executed, nothing written to disk."""
