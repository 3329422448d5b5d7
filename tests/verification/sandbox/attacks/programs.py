"""Attacks on the sandbox by name."""

from tests.verification.sandbox.attacks.attack import MACHINE, Attack, expect_refusal, expect_stop
from verification.sandbox.types import ExitReason

SOCKETS = {
    "AF_PACKET": "17, 3, 0",
    "AF_VSOCK": "40, 1, 0",
    "AF_NETLINK": "16, 3, 0",
    "AF_ALG": "38, 5, 0",
    "AF_BLUETOOTH": "31, 3, 0",
    "AF_XDP": "44, 3, 0",
    "AF_KEY": "15, 3, 2",
    "raw": "2, 3, 1",
    "raw6": "10, 3, 58",
    "sctp": "2, 1, 132",
    "mptcp": "2, 1, 262",
    "icmp": "2, 2, 1",
}
ATTACKS: dict[str, Attack] = {
    "capabilities": Attack(
        "for line in open('/proc/self/status'):\n    if line.startswith('Cap'): print(*line.split())",
        tuple(f"Cap{name}: {0:016x}" for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")),
    ),
    "privileges": Attack(
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('NoNewPrivs', 'Seccomp:', 'Uid')): print(*line.split())",
        ("Uid: 1000 1000 1000 1000", "NoNewPrivs: 1", "Seccomp: 2"),
    ),
    "ptrace": expect_refusal("ptrace"),
    "memory of another process": expect_refusal("process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"),
    "memory of the first process": Attack(
        "for name in ('mem', 'environ', 'maps', 'root', 'fd', 'cmdline'):\n"
        "    attempt(name, lambda: os.open(f'/proc/1/{name}', os.O_RDONLY))\n"
        "attempt('write', lambda: os.open('/proc/1/mem', os.O_RDWR))",
        (*(f"{name} ENOENT" for name in ("mem", "environ", "maps", "root", "fd", "cmdline")), "write ENOENT"),
    ),
    "mount": Attack(
        "call('mount', b'x', b'/project', b'tmpfs', 0, 0)\n"
        "call('mount', b'/usr', b'/project', None, 4096, 0)\n"
        "call('mount', None, b'/usr', None, 4096 | 32, 0)\n"
        "call('umount2', b'/proc/1', 2)\n",
        ("mount EPERM", "mount EPERM", "mount EPERM", "umount2 EPERM"),
    ),
    "new mount calls": expect_refusal("open_tree", "move_mount", "fsopen", "mount_setattr"),
    "another root": expect_refusal("pivot_root", "chroot"),
    "unshare": Attack(
        "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000): call('unshare', flag)", ("unshare EPERM",) * 4
    ),
    "clone with namespaces": Attack(
        "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000, 0x8000000, 0x2000000):\n"
        "    call('clone', flag | 17, 0, 0, 0, 0)\n"
        "call('clone3', 0, 0)",
        (*("clone EPERM",) * 7, "clone3 ENOSYS"),
    ),
    "setns": expect_refusal("setns"),
    "kernel keyrings": expect_refusal("add_key", "request_key", "keyctl"),
    "bpf": expect_refusal("bpf"),
    "userfaultfd": expect_refusal("userfaultfd"),
    "perf": expect_refusal("perf_event_open"),
    "io_uring": expect_refusal("io_uring_setup", "io_setup"),
    "kernel modules and power": expect_refusal("init_module", "finit_module", "kexec_load", "reboot", "swapon", "acct"),
    "machine settings": expect_refusal("syslog", "quotactl", "personality", "settimeofday", "sethostname"),
    "memory that no limit counts": expect_refusal("memfd_create", "memfd_secret", "shmget", "msgget", "semget"),
    "file handles": expect_refusal("open_by_handle_at", "fanotify_init"),
    "another filter": expect_refusal("seccomp"),
    "unlisted call": expect_refusal("mbind"),
    "sockets": Attack(
        "".join(f"attempt('{name}', lambda: socket.socket({values}))\n" for name, values in SOCKETS.items()),
        tuple(f"{name} EPERM" for name in SOCKETS),
    ),
    "network by number": expect_stop(
        "attempt('x', lambda: socket.create_connection(('192.0.2.7', 443), 5))\ntime.sleep(30)",
        ExitReason.NETWORK,
        is_strict=True,
    ),
    "network by name": expect_stop("socket.getaddrinfo('example.com', 443)", ExitReason.NETWORK, is_strict=True),
    "network over IPv6": expect_stop(
        "attempt('x', lambda: socket.create_connection(('2001:db8::1', 443), 5))\ntime.sleep(30)",
        ExitReason.NETWORK,
        is_strict=True,
    ),
    "services of the host": Attack(
        "attempt('loopback', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5))\n"
        "abstract = socket.socket(socket.AF_UNIX)\n"
        "attempt('abstract', lambda: abstract.connect(chr(0) + sys.argv[2]))\n"
        "attempt('path', lambda: abstract.connect(sys.argv[3]))",
        ("loopback ECONNREFUSED", "abstract ECONNREFUSED", "path ENOENT"),
        arguments=("port", "abstract", "socket"),
    ),
    "files of the host": Attack(
        "for path in ('/etc/shadow', '/var', '/sys', '/boot', '/run', *sys.argv[1:]):\n"
        "    attempt('read', lambda: os.open(path, os.O_RDONLY))",
        ("read ENOENT",) * 7,
        arguments=("secret", "source"),
    ),
    "environment of the host": Attack(
        "print(*sorted(os.environ))",
        ("HOME LANG PATH PWD TMPDIR USER",),
    ),
    "devices": Attack(
        "print(*sorted(os.listdir('/dev')))\n"
        "attempt('mknod', lambda: os.mknod('/project/disk', 0o60600, os.makedev(8, 0)))\n"
        "attempt('terminal', lambda: os.open('/dev/tty', os.O_RDWR))",
        ("fd full null random urandom zero", "mknod EPERM", "terminal ENOENT"),
    ),
    "terminal input": Attack(
        "import fcntl\n"
        "for number in (0x5412, 0x541C, 0x5412 | 1 << 32):\n"
        "    failed = libc.ioctl(0, ctypes.c_ulong(number), b'x') < 0\n"
        "    report('ioctl', ctypes.get_errno() if failed else None)",
        ("ioctl EPERM",) * 3,
    ),
    "setuid programs": Attack(
        "import shutil\n"
        "for line in open('/proc/self/mounts'):\n"
        "    if 'nosuid' not in line.split()[3].split(','): print('without nosuid:', line.split()[1])\n"
        "attempt('setuid', lambda: os.setuid(0))\n"
        "attempt('setgid', lambda: os.setgid(0))\n"
        "attempt('setgroups', lambda: os.setgroups([0]))",
        ("setuid EINVAL", "setgid EINVAL", "setgroups EPERM"),
    ),
    "writing the system": Attack(
        "for path in ('/usr/bin/x', '/etc/passwd', '/x', '/files/x', '/dev/x', '/proc/sys/kernel/core_pattern',\n"
        "             '/proc/sys/net/ipv4/ip_forward', '/proc/self/comm', '/proc/1/x'):\n"
        "    attempt_change('write', lambda: os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))",
        ("write refused",) * 9,
    ),
    "writing a bound file": Attack(
        "path = os.path.realpath('/project/bound')\n"
        "attempt_change('write', lambda: open(path, 'w'))\n"
        "attempt_change('append', lambda: open('/project/bound', 'a'))\n"
        "attempt_change('truncate', lambda: os.truncate(path, 0))\n"
        "attempt_change('chmod', lambda: os.chmod(path, 0o777))\n"
        "attempt_change('touch', lambda: os.utime(path))\n"
        "attempt_change('unlink', lambda: os.unlink(path))\n"
        "attempt_change('move', lambda: os.rename('/files', '/files2'))\n"
        "attempt('replace', lambda: os.rename('/project/program', path))\n"
        "attempt('link', lambda: os.link(path, '/project/linked'))\n"
        "call('mount', b'/project', path.encode(), None, 4096, 0)",
        (
            *(f"{name} refused" for name in ("write", "append", "truncate", "chmod", "touch", "unlink", "move")),
            "replace EXDEV",
            "link EXDEV",
            "mount EPERM",
        ),
    ),
    "writing a readable folder": Attack(
        "folder = os.path.dirname(os.__file__)\n"
        "attempt_change('write', lambda: os.open(os.__file__, os.O_WRONLY))\n"
        "attempt_change('create', lambda: os.open(f'{folder}/attack', os.O_WRONLY | os.O_CREAT, 0o644))\n"
        "attempt_change('move', lambda: os.rename(folder, folder + '2'))",
        ("write refused", "create refused", "move refused"),
    ),
    "out-of-memory score": Attack(
        "attempt_change('own', lambda: open('/proc/self/oom_score_adj', 'w').write('-1000'))\n"
        "attempt_change('first', lambda: open('/proc/1/oom_score_adj', 'w').write('1000'))\n"
        "print(open('/proc/self/oom_score_adj').read().strip())",
        ("own refused", "first refused", "1000"),
    ),
    "signals": Attack(
        "for pid in map(int, sys.argv[1:]): attempt('kill', lambda: os.kill(pid, 9))\n"
        "attempt('first', lambda: os.kill(1, 9))\n"
        "attempt('all', lambda: os.kill(-1, 9))\n"
        "time.sleep(0.05)\nprint('here')",
        ("kill ESRCH", "kill ESRCH", "first succeeded", "all ESRCH", "here"),
        arguments=("supervisor", "holder"),
    ),
    "raised limits": Attack(
        "import resource\n"
        "for name in ('CORE', 'NPROC', 'NOFILE', 'DATA', 'MEMLOCK'):\n"
        "    number = getattr(resource, f'RLIMIT_{name}')\n"
        "    hard = resource.getrlimit(number)[1]\n"
        "    try:\n"
        "        resource.setrlimit(number, (hard + 1, hard + 1))\n"
        "        print(name, 'succeeded')\n"
        "    except (ValueError, OSError):\n"
        "        print(name, 'refused')",
        tuple(f"{name} refused" for name in ("CORE", "NPROC", "NOFILE", "DATA", "MEMLOCK")),
    ),
    "descriptor bomb": Attack(
        "copies = []\n"
        "def copy():\n"
        "    while True: copies.append(os.dup(0))\n"
        "attempt('dup', copy)\n"
        "print(len(copies) <= 256)",
        ("dup EMFILE", "True"),
    ),
    "descriptors of the supervisor": Attack("print(*sorted(os.listdir('/proc/self/fd'), key=int))", ("0 1 2 3",)),
    "fork bomb": expect_stop(
        "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass", ExitReason.PROCESSES
    ),
    "memory bomb": expect_stop("blocks = []\nwhile True: blocks.append(b'x' * 4_000_000)", ExitReason.MEMORY),
    "memory in socket buffers": expect_stop(
        "pairs = []\n"
        "for _ in range(5): os.fork()\n"  # so that no process exceeds the limit alone
        "try:\n"
        "    while True:\n"
        "        pairs.append(socket.socketpair())\n"
        "        for end in pairs[-1]:\n"
        "            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)\n"
        "            fill_buffer(end)\n"
        "except OSError: time.sleep(60)",
        ExitReason.MEMORY,
    ),
    "memory in TCP buffers": expect_stop(
        "connections, listener = [], socket.create_server(('127.0.0.1', 0), backlog=100)\n"
        "for _ in range(100):\n"
        "    connections.append(socket.create_connection(listener.getsockname()))\n"
        "    connections.append(listener.accept()[0])\n"
        "    fill_buffer(connections[-1])\n"
        "    fill_buffer(connections[-2])\n"
        "time.sleep(60)",
        ExitReason.MEMORY,
    ),
    "memory in sent sockets": expect_stop(
        "carriers = []\n"
        "try:\n"
        "    while True:\n"
        "        carriers.append(socket.socketpair())\n"
        "        for _ in range(10):\n"
        "            pair = socket.socketpair()\n"
        "            for end in pair:\n"
        "                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)\n"
        "                fill_buffer(end)\n"
        "            socket.send_fds(carriers[-1][0], [b'x'], [end.fileno() for end in pair])\n"
        "            for end in pair: end.close()\n"
        "except OSError: time.sleep(60)",
        ExitReason.MEMORY,
    ),
    "memory in page tables": expect_stop(
        "libc.mmap.restype = ctypes.c_void_p\n"
        "size = 1 << 38\n"
        "start = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, 0)\n"  # readable, private, not reserved
        "libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), 15)\n"  # no huge pages
        "for at in range(0, size, 1 << 21): ctypes.string_at(start + at, 1)\n"
        "time.sleep(60)",
        ExitReason.MEMORY,
    ),
    "connections to the proxy": expect_stop(  # as many as the supervisor may open files; each needs two there
        "for _ in range(3): os.fork()\n"
        "connections, blocks = [], []\n"
        "for _ in range(150):\n"
        "    try: connections.append(socket.create_connection(('127.0.0.1', 3128), timeout=0.2))\n"
        "    except OSError: pass\n"
        "time.sleep(1)\n"
        "while True: blocks.append(b'x' * 4_000_000)",
        ExitReason.MEMORY,
        has_proxy=True,
    ),
    "a request without end": Attack(
        "connection = socket.create_connection(('127.0.0.1', 3128))\n"
        "connection.sendall(b'CONNECT 127.0.0.1:1 HTTP/1.1\\r\\n')\n"
        "try:\n"
        "    while True: connection.sendall(b'X: y\\r\\n' * 100)\n"
        "except OSError: print('refused')",
        ("refused",),
        has_proxy=True,
    ),
    "watches": expect_refusal("inotify_init1", "inotify_add_watch", error="ENOSYS"),
    "disk bomb": expect_stop(
        "file = open('/project/large', 'wb')\nwhile True: file.write(bytes(1_000_000))", ExitReason.DISK
    ),
    "output bomb": expect_stop("while True: print('x' * 1000)", ExitReason.OUTPUT),
    "credentials": expect_stop(
        "print(open(os.path.expanduser('~/.aws/credentials')).read())\ntime.sleep(30)", ExitReason.HOME, is_strict=True
    ),
    "endless program": expect_stop(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)", ExitReason.TIMED_OUT
    ),
}
if MACHINE == "x86_64":
    ATTACKS["calls of another architecture"] = Attack(
        "libc.syscall(ctypes.c_long(0x40000000 + 39))",
        exit_code=-31,  # x32's getpid; SIGSYS
    )
