#!/usr/bin/env bash
# Does in a bare Debian what the README tells newcomers to do: no compiler, no caches, an empty home.
#
#   bash scripts/pristine.sh                         Debian 13, as root: the README's commands, as printed there
#   bash scripts/pristine.sh -s bookworm -u          Debian 12, as a user without rights
#   bash scripts/pristine.sh bash scripts/demo.sh    this command instead; each word is one of the command
#
# The system is made by mmdebstrap with nothing but git and certificates, kept as a tarball for the day, and entered in
# namespaces of its own; it sees this machine's network and sources of packages. What is committed (HEAD) is cloned
# into it. A user without rights first reads what root is to install, then root does exactly that. Needs root.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

suite=trixie account=root
while getopts s:u option; do
  case $option in
    s) suite=$OPTARG ;;
    u) account=stranger ;;
    *) fail "usage: pristine.sh [-s bookworm|trixie] [-u] [COMMAND...]" ;;
  esac
done
shift $((OPTIND - 1))

# missing_reason: why this machine cannot make a bare system; nothing where it can.
missing_reason() {
  if ((EUID != 0)); then
    echo "needs root"
  elif ! command -v apt-get > /dev/null; then
    echo "needs Debian's sources of packages"
  elif ! command -v mmdebstrap > /dev/null; then
    echo "mmdebstrap is not there"
  elif ! unshare --mount --pid --fork true 2> /dev/null; then
    echo "the system permits no namespaces"
  fi
}

# The mirror that this machine takes Debian from.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2> /dev/null |
    grep -m 1 '/debian/\?$' || echo http://deb.debian.org/debian
}

# make_tarball FILE: the bare system, with the certificates by which this machine trusts its networks.
make_tarball() {
  say "making a bare $suite"
  mkdir -p "$(dirname "$1")"
  rm -rf "$(dirname "$1")/$suite"-*  # of other days, or begun
  # By its name mmdebstrap tells that it is to be a tarball.
  mmdebstrap --quiet --variant=minbase --include=git,ca-certificates "$suite" "${1%.tar}.begun.tar" "$(mirror)"
  mv "${1%.tar}.begun.tar" "$1"
}

# trust_alike ROOT: names, certificates and pip's settings of the machine, which are not what is tried here.
trust_alike() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
  if [[ -f /etc/pip.conf ]]; then cp /etc/pip.conf "$1/etc/pip.conf"; fi
}

# inside ACCOUNT COMMAND...: runs it in the bare system, in the clone of the tree. The environment is a new login's.
inside() {
  local user=$1 home=/root path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  shift
  if [[ $user != root ]]; then home=/home/$user path=/usr/local/bin:/usr/bin:/bin; fi
  env -i unshare --mount --pid --fork --kill-child --uts --ipc bash -c '
    set -e
    root=$1 user=$2
    shift 2
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    for node in null zero full random urandom tty; do
      touch "$root/dev/$node"
      mount --bind "/dev/$node" "$root/dev/$node"
    done
    ln -s /proc/self/fd "$root/dev/fd"
    mkdir "$root/dev/pts"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    mkdir -m 1777 "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups "$@"' bash \
    "$folder" "$user" \
    env -i HOME="$home" USER="$user" LOGNAME="$user" PATH="$path" LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    bash -c 'cd ~/atoll 2> /dev/null || cd && exec "$@"' bash "$@"
}

# readme_commands: the two that the README has for a machine with nothing installed, one a line.
readme_commands() {
  sed -n '/^## Try it/,/^## /s/^    \(bash .*\)$/\1/p' README.md
}

# have_root_install: what the README's commands say to somebody without rights, done as they say.
have_root_install() {
  local said line
  said=$(inside "$account" bash scripts/demo.sh 2>&1) && fail "demo.sh passed without a compiler"
  line=$(sed -n 's/.* install it with: sudo //p' <<< "$said")
  [[ $line == apt-get\ install\ * ]] || fail "what root is to install is not said: $said"
  say "as demo.sh tells a user: $line"
  inside root bash -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive $line -qq > /dev/null"
}

reason=$(missing_reason)
if [[ $reason == mmdebstrap* ]]; then
  offer "no bare system can be tried" mmdebstrap
  reason=$(missing_reason)
fi
if [[ $reason ]]; then
  say "skipped: $reason"
  exit
fi

tarball=build/pristine/$suite-$(date +%F).tar
[[ -f $tarball ]] || make_tarball "$tarball"
folder=$(mktemp -d "${TMPDIR:-/tmp}/atoll-pristine-XXXXXX")
trap 'rm -rf --one-file-system "$folder"' EXIT
tar -x -f "$tarball" -C "$folder" --exclude='./dev/*'
trust_alike "$folder"
home=$folder/root
if [[ $account != root ]]; then
  chroot "$folder" useradd --create-home --shell /bin/bash "$account"
  home=$folder/home/$account
fi
git -c safe.directory='*' clone --quiet --no-local . "$home/atoll"
chroot "$folder" chown -R "$account:" "${home#"$folder"}/atoll"
if [[ $account != root ]]; then have_root_install; fi

if (($# > 0)); then
  printf -v commands '%q ' "$@"
else
  commands=$(readme_commands)
fi
while IFS= read -r line; do
  say "$suite, $account: $line"
  start=$SECONDS
  # shellcheck disable=SC2086  # words, as a shell would read them
  eval "inside $account $line" < /dev/null || fail "$suite, $account: '$line' ended with status $?"
  say "$suite, $account: '$line' took $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
done <<< "$commands"
say "passed on $suite as $account"
