# Process 1. It ignores every signal, collects orphans, survives `kill -9 -1` and ends with its input, which closes
# when Dewpoint ends in any way.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM
exec 3<&0
while :; do
  cat <&3 >/dev/null 2>&1 &
  wait $!
  [ $? -eq 0 ] && exit 0
done
