import { forwarderFiles } from '../../network/container-forwarder.ts';

/**
 * The shell programs that start and end processes in a container. They are POSIX sh, because the user may choose any
 * image. Their reports are untrusted data.
 */

/** The variable that marks a command and everything that it starts, even after they detach themselves. */
export const runMark = 'DEWPOINT_RUN';

/** The wrapper's exit code if it cannot enter the folder to run in. */
export const noFolderExit = 125;

/**
 * Process 1. It ignores every signal, collects orphans, survives `kill -9 -1` and ends with its input, which closes
 * when Dewpoint ends in any way.
 */
const reaperScript = `trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM
exec 3<&0
while :; do
  cat <&3 >/dev/null 2>&1 &
  wait $!
  [ $? -eq 0 ] && exit 0
done`;

// Kills processes with the mark of run $1, and orphans without any mark (they cleared their environment to escape).
// Session 1 is the reaper's own. Prints nothing. Returns 0 if it found something.
const sweepFunction = `sweep() {
  found=1
  for file in $(grep -ls "${runMark}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}; pid=\${pid%/environ}
    [ "$pid" = "$$" ] && continue
    kill -9 "$pid" 2>/dev/null && found=0
  done
  for folder in /proc/[0-9]*; do
    read -r line 2>/dev/null < "$folder/stat" || continue
    rest=\${line##*) }; state=\${rest%% *}
    rest=\${rest#* }; parent=\${rest%% *}
    rest=\${rest#* }; rest=\${rest#* }; session=\${rest%% *}
    [ "$parent" = 1 ] && [ "$session" != 1 ] && [ "$state" != Z ] || continue
    grep -qs "${runMark}=" "$folder/environ" && continue
    kill -9 "\${folder#/proc/}" 2>/dev/null && found=0
  done
  return $found
}
sweep_all() {
  rounds=0
  while sweep "$1"; do
    rounds=$((rounds + 1))
    [ "$rounds" -ge 20 ] && break
  done
}`;

/**
 * Printed after the errors of a command if the kernel killed a process for its memory meanwhile. Neither the exit
 * code nor the engine distinguishes that from other kills.
 */
export const memoryNotice = '[dewpoint: the memory limit of the sandbox was reached: something was killed for it]';

/**
 * Runs a command, and then ends everything that it left. So its output ends, too, and nothing writes to the
 * workspace later. Arguments: mark, folder, nonce, command. Exits with the command's code. A handler (not "ignore",
 * which children would inherit) keeps the wrapper alive when its group is asked to end.
 */
const runScript = `trap : TERM INT HUP
${sweepFunction}
out_of_memory() {
  killed=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$file" ] || continue
    while read -r name value; do [ "$name" = oom_kill ] && killed=$value; done < "$file"
  done
}
out_of_memory
before=$killed
cd -- "$2" 2>/dev/null || { printf '%s' "$3" >&2; exit ${noFolderExit}; }
shell=/bin/bash
[ -x "$shell" ] || shell=/bin/sh
"$shell" -c "$4"
code=$?
exec </dev/null
sweep_all "$1"
out_of_memory
[ "$killed" -gt "$before" ] && printf '\\n%s\\n' "${memoryNotice}" >&2
exit "$code"`;

/**
 * Ends a run: asks first, then kills. Arguments: mark, tenths of a second to wait in between, and `alone` if no
 * other run is alive. Then everything is killed at once, which needs no further process and wins against a fork
 * bomb.
 */
const killScript = `${sweepFunction}
count=$2
if [ "$count" -gt 0 ]; then
  pids=
  for file in $(grep -ls "${runMark}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}; pid=\${pid%/environ}
    [ "$pid" = "$$" ] && continue
    pids="$pids $pid"
    kill -TERM "$pid" 2>/dev/null
  done
  while [ "$count" -gt 0 ]; do
    left=
    for pid in $pids; do [ -d "/proc/$pid" ] && left=1; done
    [ -z "$left" ] && break
    sleep 0.1
    count=$((count - 1))
  done
fi
if [ "$3" = alone ]; then
  kill -9 -1 2>/dev/null
  sleep 0.02
  kill -9 -1 2>/dev/null
else
  sweep_all "$1"
fi
exit 0`;

/**
 * Prints what the image can do, one word a line: `gnu` (find -printf), `rg`, `bash`, `scratch` (writable), and
 * `open` if the kernel's files in /proc are not hidden or can be changed. Arguments: workspace, scratch, and to try
 * the user: a file to make and one to delete, both in the workspace.
 */
const probeScript = `find / -maxdepth 0 -readable -printf '' 2>/dev/null && echo gnu
command -v rg >/dev/null 2>&1 && echo rg
[ -x /bin/bash ] && echo bash
[ -w "$2" ] && echo scratch
df -Pk "$2" 2>/dev/null
if { [ -f /proc/kcore ] && [ -r /proc/kcore ]; } || [ -w /proc/sys/kernel/core_pattern ]; then echo open; fi
[ -z "$3" ] && exit 0
( : > "$1/$3" ) 2>/dev/null
rm -f -- "$1/$4" 2>/dev/null
exit 0`;

/** The programs by name. They are in the container as read-only files in `scriptsInContainer`. */
export const scriptFiles = {
  reaper: reaperScript,
  run: runScript,
  kill: killScript,
  probe: probeScript,
  ...forwarderFiles,
} as const;

export const scriptsInContainer = '/run/dewpoint';

/** The arguments that start one of them. */
export function scriptCommand(name: keyof typeof scriptFiles, ...values: readonly string[]): string[] {
  return ['/bin/sh', `${scriptsInContainer}/${name}`, ...values];
}
