"""Discovery: the portal reads an address, recognizes its program, and checks the requirements of the program."""
