#!/usr/bin/env bash
# The user units are what systemd accepts without a complaint, and the lines
# that the daemon relies on are in them. Usage: systemd_units_test.sh REPO
set -euo pipefail
repo=${1:?usage: systemd_units_test.sh REPO}
units=(toolhost.service toolhost.socket toolhost-caller.socket)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/units" "$work/run"
cp "$repo"/systemd/*.socket "$work/units/"
sed 's#@CMAKE_INSTALL_FULL_BINDIR@/toolhostd#/bin/true#' \
  "$repo/systemd/toolhost.service.in" >"$work/units/toolhost.service"

failed=0
complain() {
  echo "FAIL: $*" >&2
  failed=1
}

# What is left of the placeholders would be a path that nobody has.
if grep -n '@' "$work"/units/*; then
  complain "a placeholder was not replaced"
fi

# verify reads the units that are required from the same folder. It prints its
# complaints, some of them with exit code 0, so silence is asked for as well.
export XDG_RUNTIME_DIR="$work/run" SYSTEMD_UNIT_PATH="$work/units:"
status=0
said=$(cd "$work/units" &&
  systemd-analyze --user --man=no verify "${units[@]}" 2>&1) || status=$?
mine=$(grep -F -e toolhost -e "$work" <<<"$said" || true)
if [ "$status" != 0 ] || [ -n "$mine" ]; then
  complain "systemd-analyze verify (exit code $status): $said"
fi

expect() {
  grep -qxF "$2" "$work/units/$1" || complain "$1 has no line $2"
}
expect toolhost.service Type=notify
expect toolhost.service KillMode=mixed
expect toolhost.service 'ExecReload=/bin/kill -HUP $MAINPID'
expect toolhost.socket FileDescriptorName=control
expect toolhost.socket 'ListenStream=%t/toolhost/toolhost.sock'
expect toolhost-caller.socket FileDescriptorName=caller
expect toolhost-caller.socket Service=toolhost.service
expect toolhost-caller.socket 'ListenStream=%t/toolhost/caller.sock'
for unit in toolhost.socket toolhost-caller.socket; do
  expect "$unit" SocketMode=0600
  expect "$unit" DirectoryMode=0700
  expect "$unit" RemoveOnStop=yes
done

# A unit that systemd must complain about: the check above can fail.
sed 's/^Type=notify$/Type=notify-reloaded/' "$work/units/toolhost.service" \
  >"$work/units/broken.service"
said=$(cd "$work/units" &&
  systemd-analyze --user --man=no verify broken.service 2>&1) || true
grep -q 'notify-reloaded' <<<"$said" ||
  complain "systemd-analyze verify accepts anything: $said"

[ "$failed" = 0 ] && echo "the units are accepted"
exit "$failed"
