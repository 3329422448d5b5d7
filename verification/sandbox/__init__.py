"""Isolated environments for untrusted programs, which can reach neither the portal nor the machine.

    with open_environment(Limits(seconds=20), files={"main.tf": b"…", "provider": Path("…")}) as environment:
        result = environment.run([environment.locate("provider"), "--version"])    # a CommandResult
        process = environment.start([environment.locate("provider")], env={…})     # a plugin that stays
        line = process.read_line(seconds=10)                                       # None if none arrives
        with process.open_target("unix", "/tmp/plugin123", environment.staging) as path: …
        environment.write("main.tf", b"…"); environment.read("terraform.tfstate")  # between two commands

`environment.find_obstacle()` returns why this machine can't provide a sandbox. Callers report *not run* with that
reason, never a pass; no program is started without a sandbox.

The portal opens no environments. `client.run_job(kind, arguments, executable)` sends a job to a process without the
portal's environment variables, secrets, and database (`worker`), in which the function of that kind opens environments.

Each program runs in a bubblewrap of its own, with namespaces, a system call filter, and no process of ours inside.
The storage of the environment is a tmpfs that a first bubblewrap holds, so that it outlives each program.

Standard library only, without Django.
"""
