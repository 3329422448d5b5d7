"""How is a program run that we do not trust? In a room of its own, of which nothing reaches the portal or the machine.

    with room.open_room(Limits(seconds=20), files={"main.tf": b"…", "provider": Path("…")}) as one:
        outcome = one.run(["/project/provider", "--version"])       # an Outcome
        process = one.start(["/project/provider"], env={…})         # a plugin that stays
        line = process.line(seconds=10)                          # its first line on stdout, or None
        path = one.connect("unix", "/tmp/plugin123")             # a socket of ours that leads there
        one.write("main.tf", b"…"); one.read("terraform.tfstate")  # files of /project, between two runs

`room.unavailable()` says why no room can be had on this machine, blank where one can: it is tried, not guessed. Whoever
gets a reason answers *not run* with it, never a pass.

The portal itself makes no rooms: `asking.ask(kind, given, files)` has a job done by a process without the portal's
environment, secrets and database (`job`), where the kind's function `(given, files, tell) -> answer` makes them.

A room is a Linux user, mount, network, process and IPC namespace: an unprivileged user, a root file system of nothing
but /usr (read only), a temporary /project, /tmp and home of limited size, no network but a loopback of its own, no
system calls that it has no use for. Its first process is ours, watches the limits, and takes every other with it when
it ends. With `hosts` named, HTTPS_PROXY leads through a door that lets those hosts alone pass, by the portal's
outbound guard.

Standard library only, and nothing of Django.
"""
