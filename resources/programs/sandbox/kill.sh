# Ends a run: asks first, then kills. Arguments: mark, tenths of a second to wait in between, and `alone` if no
# other run is alive. Then everything is killed at once, which needs no further process and wins against a fork
# bomb.
count=$2
if [ "$count" -gt 0 ]; then
  pids=
  for file in $(grep -ls "DEWPOINT_RUN=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}; pid=${pid%/environ}
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
exit 0
