#!/usr/bin/env bash
# The README's two commands on a bare system: debootstraps Debian into a folder, clones the project into
# it, runs them and nothing else. As root:   tests/fresh_machine.sh [bookworm|trixie] [FOLDER]
set -euo pipefail
suite=${1:-bookworm}
target=${2:-$(mktemp -d "/var/tmp/rootdk-$suite-XXXXXX")}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The mirror that this machine itself uses.
own=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 || true)
mirror=${MIRROR:-${own:-http://deb.debian.org/debian}}

command -v debootstrap >/dev/null || { echo "fresh_machine: install debootstrap first" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "fresh_machine: run as root, debootstrap needs it" >&2; exit 2; }

inside() {  # the environment of the host stays outside, but for the choice of a BLAS kernel
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    ${OPENBLAS_CORETYPE:+OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE} chroot "$target" "$@"
}
leave() {
  for mounted in proc dev; do ! mountpoint -q "$target/$mounted" || umount "$target/$mounted"; done
  [ $# -eq 0 ] || rm -rf "$target"
}
trap leave EXIT

echo "== $suite into $target"
debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$target" "${mirror% }" >/dev/null
cp /etc/apt/apt.conf.d/*proxy* "$target/etc/apt/apt.conf.d/" 2>/dev/null || true
mount -t proc proc "$target/proc"
mount --bind /dev "$target/dev"
git clone -q "$source" "$target/root/rootdk"
for command in 'train_retrieval' 'train_retrieval' 'test'; do
  echo "== ./rootdk $command"
  # shellcheck disable=SC2086
  inside bash -c "cd /root/rootdk && time ./rootdk $command"
done
# One line to hold against the other system's: with gemm = "reference" it is the same.
inside bash -c "cd /root/rootdk && ./rootdk install && cmake --build --preset release --target saturation_at_init >/dev/null &&
  echo \"== reference runs: \$(tests/reference_runs.sh build/release/experiments /root/bits | sha256sum)\""
leave remove
trap - EXIT
echo "== $suite passed"
