# Watches the tests of everything that the process $1 starts. POSIX sh, because the image may be anyone's. Only a process
# that listens gets the signal: it would end any other.
parent_of() { read -r line 2> /dev/null < "/proc/$1/stat" || return 1; rest=${line##*) }; set -- $rest; parent=$2; ticks=$((${12} + ${13})); }
below() { # every process that process $1 started, without the watcher
  all=" $1 "; found=1
  while [ $found = 1 ]; do
    found=0
    for folder in /proc/[0-9]*; do
      pid=${folder#/proc/}
      case $all in *" $pid "*) continue ;; esac
      parent_of "$pid" || continue
      [ "$pid" != "$2" ] || continue
      case $all in *" $parent "*) all="$all$pid "; found=1 ;; esac
    done
  done
  all=${all#" $1 "}
}
listens() { # to signal 62
  mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null); [ -n "$mask" ] && [ $(( 0x$mask >> 61 & 1 )) = 1 ]
}
files_of() { tr '\0' '\n' < "/proc/$1/cmdline" 2> /dev/null | grep -E '\.[cm]?[jt]sx?$' | grep -v /node_modules/ | tail -n 1; }
program_of() { exe=$(readlink "/proc/$1/exe" 2> /dev/null); echo "${exe##*/}"; }
find_inner() { # every process that some Node process comes from
  inner=" "
  for one in $all; do
    case $(program_of "$one") in node|nodejs) ;; *) continue ;; esac
    up=$one
    while parent_of "$up" && [ "$parent" -gt 1 ]; do
      case $inner in *" $parent "*) break ;; esac
      inner="$inner$parent "; up=$parent
    done
  done
}
is_test() { tr '\0' ' ' < "/proc/$1/cmdline" 2> /dev/null | grep -Eq -- ' --test|jest|vitest|mocha'; }
state_of() { # name: what runs, busy: whether it can be stopped for it
  name=; busy=0
  case $(program_of "$1") in
    python*|pypy*)
      listens "$1" || return 0
      rm -f "$DEWPOINT_WATCH/$1.seen"; kill -62 "$1" 2> /dev/null
      for wait in 1 2 3 4 5; do sleep 0.1; [ ! -e "$DEWPOINT_WATCH/$1.seen" ] || break; done
      # No answer: it is in code that is not Python, and which test that is shows when it is stopped.
      name="the test run"; { read -r name < "$DEWPOINT_WATCH/$1.seen"; } 2> /dev/null; busy=1 ;;
    node|nodejs)
      is_test "$1" || return 0
      file=$(files_of "$1"); written=$(sed -n 's/^wchar: //p' "/proc/$1/io" 2> /dev/null)
      parent_of "$1"; eval "before=\${ticks_$1:-$ticks}; ticks_$1=$ticks"
      # On a machine that has other work, a loop gets a part of a processor.
      [ $((ticks - before)) -lt $((every * 25)) ] || busy=1
      case $(program_of "$parent") in node|nodejs) grep -qs -- --test "/proc/$parent/cmdline" && busy=1 ;; esac
      # Timers write a few bytes; the result of a test is more.
      eval "wrote=\${wrote_$1:-0}"; [ $((written - wrote)) -lt 200 ] || { wrote=$written; eval "wrote_$1=$written"; quiet=0; }
      # Nothing at all goes on, so whoever starts no other test waits in vain.
      [ "$quiet" -lt "$DEWPOINT_PATIENCE" ] || case $inner in *" $1 "*) ;; *) busy=1 ;; esac
      name="${file:-the test run} ($wrote)" ;;
  esac
}
look_into() { # says what Node process $1 does, and breaks it off
  now=$(NODE_OPTIONS= "$(readlink "/proc/$1/exe")" "$DEWPOINT_WATCH/node-watch.cjs" "$@"); looked=$?
}
note_child() { # what process $1 waits for, if that is a program
  for pid in $all; do
    parent_of "$pid" && [ "$parent" = "$1" ] || continue
    child=$(tr '\0' ' ' < "/proc/$pid/cmdline" 2> /dev/null | cut -c1-200)
    printf '\nIt waits for the program %s.\n' "${child% }" > "$DEWPOINT_WATCH/$1.seen"
  done
}
end_tree() { # process $1 and what it started
  everything=$all; below "$1" "$me"; kill -9 "$1" $all; all=$everything
}
say() { where=$(sed -n 2p "$DEWPOINT_WATCH/$1.seen" 2> /dev/null | cut -c1-500); echo "[dewpoint: $(printf %.300s "$2") does not end. It was stopped after $3 s.${where:+ $where}]" >> "$DEWPOINT_WATCH/said"; }
stop_test() { # process $1, name $2, seconds $3
  case $(program_of "$1") in
    node|nodejs)
      file=${2% (*}; idle=idle
      # A process of one file has nothing else to wait for.
      [ "$file" != "the test run" ] || { file=; [ "$quiet" -ge "$DEWPOINT_PATIENCE" ] || idle=; }
      look_into "$1" "$3" "$idle" "$file"
      case $looked$idle in 3*|5|6*)
        # The runner is busy with itself, for example with compiling.
        eval "late=\${late_$1:-0}; late_$1=\$((late + 1))"
        [ "$late" -ge 3 ] || return ;;
      esac
      # One that has no name waits for another, which was named.
      case $looked$idle$file in 3idle|4idle) [ ! -s "$DEWPOINT_WATCH/said" ] || looked=6 ;; esac
      case $looked$idle in 0*|5*|6*|3idle) ;; *) note_child "$1"; say "$1" "${file:-the test run}" "$3" ;; esac
      eval "before=\${hung_$1-}; hung_$1=\$now"
      [ "$looked" = 0 ] && [ "$before" != "$now" ] || end_tree "$1"
      return ;;
  esac
  # Its tests are over. To go on would hide that it never ends.
  [ "$2" != "the program after its tests" ] || { say "$1" "$2" "$3"; end_tree "$1"; return; }
  for try in 1 2 3; do
    printf '%s %s\n' "$3" "$2" > "$DEWPOINT_WATCH/$1.stop"
    listens "$1" || return
    kill -62 "$1"; sleep 0.5
    [ ! -e "$DEWPOINT_WATCH/$1.stop" ] || continue
    listens "$1" && kill -62 "$1" || return; sleep 0.2; { read -r now < "$DEWPOINT_WATCH/$1.seen"; } 2> /dev/null
    [ "$now" = "$2" ] || return
  done
  say "$1" "$2" "$3"; kill -ABRT "$1"; sleep 0.5; end_tree "$1"
}
stop_all() {
  : > "$DEWPOINT_WATCH/late"
  below "$1" "$2"; find_inner; looks=0
  for pid in $all; do
    state_of "$pid"
    case $inner$(program_of "$pid") in
      *" $pid "*) ;;
      *" node"|*" nodejs")
        looks=$((looks + 1)); [ "$looks" -le 2 ] || continue
        look_into "$pid" "$DEWPOINT_LIMIT" idle; case $looked in 0|5|6) continue ;; esac ;;
    esac
    [ -n "$(sed -n 2p "$DEWPOINT_WATCH/$pid.seen" 2> /dev/null)" ] || continue
    say "$pid" "${name:-the command}" "$DEWPOINT_LIMIT"
  done
  for pid in $all; do kill -9 "$pid"; done
}
watch_tests() {
  me=$(exec sh -c 'echo "$PPID"'); start=$(date +%s); longest=0; work=0; quiet=0; inner=" "
  every=1; [ "$DEWPOINT_PATIENCE" -lt 6 ] || every=2
  while sleep $every; do
    now_s=$(date +%s)
    if [ "$DEWPOINT_LIMIT" -gt 0 ] && [ $((now_s - start)) -ge "$DEWPOINT_LIMIT" ]; then stop_all "$1" "$me"; return; fi
    below "$1" "$me"; done_before=$work; work=0
    for one in $all; do parent_of "$one" && work=$((work + ticks)); done
    quiet=$((work - done_before < every * 10 ? quiet + every : 0))
    [ "$quiet" -lt "$DEWPOINT_PATIENCE" ] || find_inner
    for one in $all; do
      parent_of "$one" || continue
      eval "own=\$((ticks - \${used_$one:-$ticks})); used_$one=$ticks"
      state_of "$one"
      eval "old=\${name_$one-}; since=\${since_$one:-$now_s}"
      if [ "$name" != "$old" ] || [ -z "$name" ]; then
        ran=$((now_s - since))
        # What a Node process does before it writes is its start, and no test.
        case $old in *"("*) eval "[ -n \"\${began_$one-}\" ] || { began_$one=1; old=; }" ;; esac
        [ -z "$old" ] || [ "$busy" = 0 ] || [ "$ran" -le "$longest" ] || longest=$ran
        eval "name_$one=\$name; since_$one=$now_s"; continue
      fi
      ran=$((now_s - since)); wait_for=$DEWPOINT_PATIENCE
      # A test that waits for another program that works is given more time.
      [ $((work - done_before - own)) -lt $((every * 30)) ] || wait_for=$((wait_for * 4))
      # Python does not answer while it loads code of another language, either.
      [ "$name" != "the test run" ] || wait_for=$((wait_for + 5))
      [ $((longest * 5)) -le "$wait_for" ] || wait_for=$((longest * 5))
      [ "$busy" = 1 ] && [ "$ran" -ge "$wait_for" ] || continue
      # A process that a test made of its own is stopped after the test itself.
      parent_of "$one"; eval "above=\${name_$parent-}"; [ "$above" != "$name" ] || continue
      stop_test "$one" "$name" "$ran"; DEWPOINT_PATIENCE=$((DEWPOINT_PATIENCE > 6 ? DEWPOINT_PATIENCE / 2 : DEWPOINT_PATIENCE)); eval "name_$one=; since_$one="
    done
  done
}
