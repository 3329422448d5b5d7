"""The system calls that a program in the sandbox may make.

`bin/build-syscall-filters` turns this list into the programs in `filters/`, one for each machine type. Every call that
is not listed fails with EPERM.
"""

FILES = """
    access cachestat chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock
    fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr lchown lgetxattr link linkat listxattr
    llistxattr lseek lstat mkdir mkdirat mknod
    mknodat newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
    readlinkat readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat sync
    sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes write writev
"""
EVENTS = """
    epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe pipe2 poll ppoll
    pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime
"""
MEMORY = """
    brk madvise map_shadow_stack membarrier mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock
    munlockall munmap pkey_alloc pkey_free pkey_mprotect
"""
PROCESSES = """
    arch_prctl capget capset execve execveat exit exit_group fork futex futex_requeue futex_wait futex_waitv
    futex_wake get_robust_list getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority
    getrandom getresgid getresuid getrlimit getrusage getsid gettid getuid pidfd_open pidfd_send_signal prctl
    prlimit64 rseq sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
    sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler sched_yield
    set_robust_list set_tid_address setfsgid setfsuid setgid setgroups setpgid setpriority setregid setresgid
    setresuid setreuid setrlimit setsid setuid sysinfo times uname vfork wait4 waitid
"""
SIGNALS = """
    alarm kill pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
    rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack tgkill tkill
"""
TIME = """
    clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime
"""
SOCKETS = """
    accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg
    sendto setsockopt shutdown
"""
ALLOWED_CALLS = tuple(" ".join((FILES, EVENTS, MEMORY, PROCESSES, SIGNALS, TIME, SOCKETS)).split())

# C libraries try clone3 first and fall back to clone on ENOSYS. Its flags are in memory, where no filter can read them.
# inotify instances are counted for each user outside, so one program could take those of the supervisor and of others.
UNKNOWN = ("clone3", "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch")

NAMESPACE_FLAGS = 0x7E020000  # CLONE_NEW*: `clone` is allowed without any of them

# TIOCSTI and everything else that reaches a terminal or a device is left out.
IOCTLS = {
    "TCGETS": 0x5401,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
    "TCGETS2": 0x802C542A,
    "FICLONE": 0x40049409,
    "FS_IOC_GETFLAGS": 0x80086601,
}

STREAM, DATAGRAM, SEQUENCED = 1, 2, 5
UNIX, INET, INET6 = 1, 2, 10
TCP, UDP = 6, 17
SOCKET_TYPE_MASK = 0xF  # the other bits are SOCK_CLOEXEC and SOCK_NONBLOCK
# (address family, type, protocol): no netlink, packet, vsock or raw sockets, no SCTP or MPTCP
SOCKET_KINDS = (
    (UNIX, STREAM, 0),
    (UNIX, DATAGRAM, 0),
    (UNIX, SEQUENCED, 0),
    (INET, STREAM, 0),
    (INET, STREAM, TCP),
    (INET, DATAGRAM, 0),
    (INET, DATAGRAM, UDP),
    (INET6, STREAM, 0),
    (INET6, STREAM, TCP),
    (INET6, DATAGRAM, 0),
    (INET6, DATAGRAM, UDP),
)
