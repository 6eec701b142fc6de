# Prints the report that a test runner writes for programs, between lines that begin with $sign. $folder is where the
# tests run. R is a file for the report. Its folder also marks the time before the run: older reports are not of this
# run. POSIX sh, because the image may be anyone's.
R=$(mktemp -d "${TMPDIR:-/tmp}/dewpoint-report.XXXXXX")/report || exit 90; export R
: > "${R%/*}/begin"
go_test() { # go test … -json: shows what a person reads, and keeps the report
  printf '{"Action":"module","Package":"%s"}\n' "$(go list -m 2> /dev/null | head -n 1)" > "$R.module"
  { "$@"; echo $? > "$R.code"; } 2>&1 | tee "$R" | sed -n '
    /^{"/! { p; d; }
    /"Output":"\(=== \| *--- PASS\|PASS\\n\)/d
    s/.*"Output":"\(.*\)"}$/\1/; t shown
    d
    :shown
    s/\\n$//; s/\\t/\t/g; s/\\u003c/</g; s/\\u003e/>/g; s/\\u0026/\&/g; s/\\"/"/g; s/\\\\/\\/g; p'
  cat "$R" >> "$R.module"; mv "$R.module" "$R"; return "$(cat "$R.code")"
}
printed() { # without what the tests themselves printed, except where a test failed
  sed -e '/"Action":"\(run\|pause\|cont\|bench\|start\)"/d' -e '/"Output":"\(=== \| *--- PASS\|PASS\\n\)/d' \
    -e '/<properties>/,/<\/properties>/d' -e 's/<system-out><!\[CDATA\[[^]]*\]\]><\/system-out>//' \
    -e 's#,"/[^"]*/gems/[^"]*"##g' \
    -e '/^	at \(java\|jdk\|org\.junit\|junit\|org\.gradle\|org\.apache\.maven\|com\.sun\.proxy\)\./d' | head -c 1500000
}
report_end() { rm -rf "${R%/*}"; printf '\n%s end\n' "$sign"; }
report_file() { # FORMAT
  printf '\n%s %s%s\n' "$sign" "$1" "${folder:+ $folder}"; [ ! -f "$R" ] || printed < "$R"; report_end
}
report_files() { # FORMAT GLOB…
  printf '\n%s %s%s\n' "$sign" "$1" "${folder:+ $folder}"; shift
  for glob; do find . -path "$glob" -newer "${R%/*}/begin" -type f -print 2> /dev/null; done | sort -u | head -n 2000 |
    while IFS= read -r one; do printf '\n<!-- file %s -->\n' "$one"; printed < "$one"; done | head -c 1500000
  report_end
}
