const START_SECONDS = 60;
/** How long the job waits for podman after its own end. */
const END_SECONDS = 20;

/**
 * Outlives the batch shell, which writes its input: a line ends podman alone, end of input the home
 * too. Slurm may signal the job's whole process tree while the worker hands its runs over.
 */
const KEEPER = `
  trap : TERM
  dir=$1 home=$2 store=$2/podman service=
  shift 2
  while :; do
    if ! kill -0 "$service" 2>/dev/null; then
      [ -z "$service" ] || : >"$dir/died"
      rm -f "$dir/podman.sock"
      setsid "$@" system service --time=0 "unix://$dir/podman.sock" </dev/null &
      service=$!
    fi
    read -r -t 1
    status=$?
    [ "$status" -gt 128 ] || break
  done
  [ "$status" != 0 ] || home=$store
  rm -f "$home/.env"
  # Podman is two processes, of which the first may end without the second.
  kill -- "$service" "-$service" 2>/dev/null
  for _ in {1..50}; do kill -0 "$service" 2>/dev/null && sleep 0.2 || break; done
  kill -0 -- "-$service" 2>/dev/null && sleep 1 && kill -KILL -- "-$service" 2>/dev/null
  if [ -d "$store" ]; then
    "$@" rm -fa -t 0 >/dev/null
    # Those of commands may stay after their containers.
    pkill -KILL -f "^[^ ]*conmon .*$store/"
  fi
  # Part of it belongs to users that only podman can become; then podman writes there again.
  [ ! -d "$home" ] || "$@" unshare rm -rf "$home"
  rm -rf "$home"
  [ ! -e "$dir/libpod/tmp/pause.pid" ] || kill "$(cat "$dir/libpod/tmp/pause.pid")"
  rm -rf "$dir"
`;

/**
 * Shell functions of a job's script; nothing else starts podman's service for a user without root.
 * `start_podman` sets BENCH_PODMAN_HOST, `end_podman` ends it. They use file descriptor 9.
 */
export const PODMAN_OF_JOB = `podman_dir=
needs_podman() {
  [ "$(id -u)" != 0 ] && command -v podman >/dev/null && [ -z "\${DOCKER_HOST:-}\${BENCH_PODMAN_HOST:-}" ] &&
    ! grep -Eqs '^\\s*(export\\s+)?(DOCKER_HOST|BENCH_PODMAN_HOST)\\s*[=:]\\s*\\S' .env "$BENCH_HOME/.env"
}
# The user or the cluster says where podman keeps images and containers.
names_store() {
  local own="\${CONTAINERS_STORAGE_CONF:-\${XDG_CONFIG_HOME:-\${HOME:-}/.config}/containers/storage.conf}"
  grep -Eqs '^\\s*(graphroot|rootless_storage_path)\\s*=' "$own" ||
    grep -Eqs '^\\s*rootless_storage_path\\s*=' /etc/containers/storage.conf
}
start_podman() {
  local runtime podman env until=$((SECONDS + ${START_SECONDS}))
  # Short, as the path of a socket must be.
  podman_dir="$(mktemp -d /tmp/bench-podman-XXXXXXXXXX)" || return
  if names_store; then
    # Who shares a store on a node shares what podman notes about it there.
    runtime="\${XDG_RUNTIME_DIR:-}"
    if [ ! -d "$runtime" ] || [ ! -w "$runtime" ]; then
      runtime="/tmp/bench-podman-$(id -u)"
      mkdir -m 700 "$runtime" 2>/dev/null
      { [ ! -L "$runtime" ] && [ -O "$runtime" ] && chmod 700 "$runtime"; } || runtime="$podman_dir"
    fi
    podman=(podman)
  else
    # Nodes that share the user's home would spoil the usual one for each other.
    runtime="$podman_dir"
    podman=(podman --root "$BENCH_HOME/podman" --runroot "$podman_dir/store")
  fi
  # On the session's bus it would ask systemd to take containers out of the job.
  env=(env -u DBUS_SESSION_BUS_ADDRESS -u CONTAINER_HOST -u CONTAINER_CONNECTION "XDG_RUNTIME_DIR=$runtime")
  exec 9> >(exec setsid -f bash -c '${KEEPER}' bench-podman "$podman_dir" "$BENCH_HOME" "\${env[@]}" "\${podman[@]}")
  while [ "$SECONDS" -lt "$until" ] && [ ! -e "$podman_dir/died" ]; do
    if [ -S "$podman_dir/podman.sock" ] &&
      timeout 5 "\${env[@]}" podman --url "unix://$podman_dir/podman.sock" version >/dev/null 2>&1 9>&-; then
      export BENCH_PODMAN_HOST="unix://$podman_dir/podman.sock"
      return
    fi
    sleep 0.2
  done
  echo >&9
  exec 9>&-
  return 1
}
end_podman() {
  local until=$((SECONDS + ${END_SECONDS}))
  exec 9>&-
  while [ -e "$podman_dir" ] && [ "$SECONDS" -lt "$until" ]; do sleep 0.1; done
}`;
