# Begins `run.sh` and `kill.sh`. Kills processes with the mark of run $1, and orphans without any mark (they cleared
# their environment to escape). Session 1 is the reaper's own. Prints nothing. Returns 0 if it found something.
sweep() {
  found=1
  for file in $(grep -ls "DEWPOINT_RUN=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}; pid=${pid%/environ}
    [ "$pid" = "$$" ] && continue
    kill -9 "$pid" 2>/dev/null && found=0
  done
  for folder in /proc/[0-9]*; do
    read -r line 2>/dev/null < "$folder/stat" || continue
    rest=${line##*) }; state=${rest%% *}
    rest=${rest#* }; parent=${rest%% *}
    rest=${rest#* }; rest=${rest#* }; session=${rest%% *}
    [ "$parent" = 1 ] && [ "$session" != 1 ] && [ "$state" != Z ] || continue
    grep -qs "DEWPOINT_RUN=" "$folder/environ" && continue
    kill -9 "${folder#/proc/}" 2>/dev/null && found=0
  done
  return $found
}
sweep_all() {
  rounds=0
  while sweep "$1"; do
    rounds=$((rounds + 1))
    [ "$rounds" -ge 20 ] && break
  done
}
