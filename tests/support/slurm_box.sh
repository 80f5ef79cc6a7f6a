#!/bin/bash
# A Slurm of two nodes in namespaces of its own: slurm_box.sh FOLDER, where slurm.py has written
# slurm.conf. Both nodes are this machine, each with an address of its own; all processes end with
# this one, which is the first of its process namespace. Prints "ready" when jobs can come.
set -eu
cd "$1"
hostname slurmbox
# MPICH names its memory by the job's number, which here begins at 1 every time.
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ip link set lo up
ip link add eth0 type veth peer name eth1
ip address add 10.78.0.1/24 dev eth0
ip address add 10.78.0.2/24 dev eth1
ip link set eth0 up
ip link set eth1 up
printf '127.0.0.1 localhost\n10.78.0.1 slurmbox node1\n10.78.0.2 node2\n' > hosts
mount --bind hosts /etc/hosts

munged --foreground --force --num-threads=1 --key-file="$1/munge.key" --socket="$1/munge.socket" \
  --pid-file="$1/munge.pid" --log-file="$1/munge.log" --seed-file="$1/munge.seed" > munged.out 2>&1 &
for _ in {1..100}; do
  if [[ -S munge.socket ]]; then break; fi
  sleep 0.05
done
slurmctld -D -c > slurmctld.out 2>&1 &
for node in node1 node2; do slurmd -D -N $node > "$node.out" 2>&1 & done
for _ in {1..300}; do
  if [[ $(sinfo --noheader --format=%T 2> /dev/null) == idle ]]; then
    echo ready
    wait  # and this shell, the first process, buries the orphans, which Slurm waits for
  fi
  sleep 0.1
done
tail -n 20 ./*.out
exit 1
