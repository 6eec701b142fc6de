# What a script that tries candidates in a copy needs. Run by bash. Variables: T is the copy, W a folder outside of it for
# pristine files and outputs, KEEP the bytes kept of the head and the tail of an output. It ends after STOP_AFTER accepted
# candidates, after TOTAL_MS, and GRACE_MS after the first accepted one.
now() { date +%s%3N; }
put() { # PATH HEAD TAIL: composes a file from its pristine lines and the input
  if [ ! -e "$W/base/$1" ] && [ ! -e "$W/new/$1" ]; then
    if [ -e "$T/$1" ]; then mkdir -p "$(dirname "$W/base/$1")"; cp -p "$T/$1" "$W/base/$1"
    else mkdir -p "$(dirname "$W/new/$1")"; : > "$W/new/$1"; fi
  fi
  B="$W/base/$1"; [ -e "$B" ] || B=/dev/null
  mkdir -p "$(dirname "$T/$1")"
  { head -n "$2" "$B"; cat; tail -n "+$3" "$B"; } > "$W/next"; cat "$W/next" > "$T/$1"
}
back() { # PATH: restores it
  if [ -e "$W/base/$1" ]; then cat "$W/base/$1" > "$T/$1"; else rm -f "$T/$1"; fi
}
go() { # CANDIDATE COMMAND SECONDS TEXT: runs a command of a candidate, and prints how it ended
  s=$(now)
  if [ "$4" = @fork ] && [ -n "$forks" ]; then echo run >&7; read -r -t "$(($3 + 5))" -u 8 code || code=124
  else c=$4; [ "$c" = @fork ] && c=$instead; timeout -k 1 "$3" bash -c "$c" > "$W/out" 2>&1 < /dev/null; code=$?; fi
  e=$(now)
  echo "@@dewpoint $1 $2 $code $((e - s))"
  if [ "$(wc -c < "$W/out")" -gt "$((KEEP * 2))" ]
  then head -c "$KEEP" "$W/out"; echo; echo "[...]"; tail -c "$KEEP" "$W/out"; else cat "$W/out"; fi
  cat "$DEWPOINT_WATCH/said" 2> /dev/null && : > "$DEWPOINT_WATCH/said"
  echo; return $code
}
more() { # whether another candidate is tried
  [ "$accepted" -lt "$STOP_AFTER" ] && [ $(( $(now) - begin )) -lt "$TOTAL_MS" ] || return 1
  [ "$accepted" -eq 0 ] || [ "$(now)" -lt "$until" ]
}
accept() { accepted=$((accepted + 1)); [ "$until" -gt 0 ] || until=$(( $(now) + GRACE_MS )); }
