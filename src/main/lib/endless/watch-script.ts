import nodeWatch from '../../../../resources/programs/watch/node-watch.cjs?raw';
import pythonWatch from '../../../../resources/programs/watch/python-watch.py?raw';
import watchTests from '../../../../resources/programs/watch/watch-tests.sh?raw';
import { shellQuote } from '../programs/shell-quote.ts';

/** Printed if the whole command was stopped. */
export const lateMark = '[dewpoint: the command was stopped at its time limit]';

export interface WatchLimits {
  /** A test that runs longer, and ten times as long as every test before it, is stopped. */
  readonly patienceSeconds: number;
  /** The whole command is stopped after this time. Absent: whoever runs it stops it. */
  readonly limitSeconds?: number;
}

/**
 * A shell command that runs `command` and watches its tests. A test that does not end is stopped by itself where its
 * runner can go on, and the output says where it stood. The exit code is the command's own; 124 if all of it was
 * stopped. `DEWPOINT_PATIENCE=60` in the command gives each test as many seconds.
 */
export function watchedCommand(command: string, limits: WatchLimits): string {
  const asked = /\bDEWPOINT_PATIENCE=(\d{1,5})\b/u.exec(command)?.[1];
  const patienceSeconds = asked === undefined ? limits.patienceSeconds : Number(asked);
  return [
    ...watchLines({ ...limits, patienceSeconds }),
    `sh=sh; command -v bash > /dev/null 2>&1 && sh=bash`,
    // What the shell itself says of a killed program is no output of the command.
    `{ "$sh" -c ${shellQuote(command)} 2>&3; code=$?; } 3>&2 2> /dev/null`,
    ...watchEnd,
    `[ ! -e "$DEWPOINT_WATCH/late" ] || { code=124; echo ${shellQuote(lateMark)}; }`,
    'rm -rf "$DEWPOINT_WATCH"; exit "$code"',
  ].join('\n');
}

/** Ends the watcher and what a stopped test left behind, and prints what it saw. */
const watchEnd: readonly string[] = [
  'kill -9 "$watcher" 2> /dev/null; wait "$watcher" 2> /dev/null',
  'if [ -s "$DEWPOINT_WATCH/said" ]; then',
  '  for folder in /proc/[0-9]*; do',
  String.raw`    tr "\0" "\n" 2> /dev/null < "$folder/environ" | grep -qx "DEWPOINT_WATCH=$DEWPOINT_WATCH" && kill -9 "${'$'}{folder#/proc/}"`,
  '  done 2> /dev/null; echo; cat "$DEWPOINT_WATCH/said"; fi',
];

/**
 * Starts a watcher of everything that this shell starts from here on. POSIX sh, because the image may be anyone's. Only
 * a process that listens gets the signal: it would end any other.
 */
export function watchLines({ patienceSeconds, limitSeconds }: WatchLimits): readonly string[] {
  return [
    'DEWPOINT_WATCH=$(mktemp -d "${TMPDIR:-/tmp}/dewpoint-watch.XXXXXX") || exit 90; export DEWPOINT_WATCH',
    `cat > "$DEWPOINT_WATCH/sitecustomize.py" << 'DEWPOINT_END_OF_TEXT'`,
    pythonWatch.trim(),
    'DEWPOINT_END_OF_TEXT',
    `cat > "$DEWPOINT_WATCH/node-watch.cjs" << 'DEWPOINT_END_OF_TEXT'`,
    nodeWatch.trim(),
    'DEWPOINT_END_OF_TEXT',
    'export PYTHONPATH="$DEWPOINT_WATCH${PYTHONPATH:+:$PYTHONPATH}" PYTHONFAULTHANDLER=1',
    `DEWPOINT_PATIENCE=${patienceSeconds}; DEWPOINT_LIMIT=${limitSeconds ?? 0}`,
    watchTests.trim(),
    'watch_tests $$ > /dev/null 2>&1 < /dev/null & watcher=$!',
  ];
}
