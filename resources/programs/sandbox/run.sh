# Runs a command, and then ends everything that it left. So its output ends, too, and nothing writes to the
# workspace later. Arguments: mark, folder, nonce, command. Exits with the command's code. A handler (not "ignore",
# which children would inherit) keeps the wrapper alive when its group is asked to end.
trap : TERM INT HUP
out_of_memory() {
  killed=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$file" ] || continue
    while read -r name value; do [ "$name" = oom_kill ] && killed=$value; done < "$file"
  done
}
out_of_memory
before=$killed
cd -- "$2" 2>/dev/null || { printf '%s' "$3" >&2; exit 125; }
shell=/bin/bash
[ -x "$shell" ] || shell=/bin/sh
"$shell" -c "$4"
code=$?
exec </dev/null
sweep_all "$1"
out_of_memory
[ "$killed" -gt "$before" ] && printf '\n%s\n' "[dewpoint: the memory limit of the sandbox was reached: something was killed for it]" >&2
exit "$code"
