import type { HostileRow } from './hostile-row.ts';

/** The folders of one side (with or without Dewpoint), as a script sees them. */
export interface RowPlace {
  /** Absolute path of the person's files for this row. */
  readonly folder: string;
  /** Absolute path of the reports: one file for each row, side and kind. */
  readonly reports: string;
  readonly side: 'bare' | 'held';
}

export const personHome = '/home/person';
const marks = '/tmp/marks';

export function markOf(row: Pick<HostileRow, 'id'>): string {
  return `${marks}/${row.id}`;
}

/** The environment of plants, in the sandbox and in the container without Dewpoint. */
export function plantEnvironment(row: Pick<HostileRow, 'id'>): Readonly<Record<string, string>> {
  return {
    MARK: markOf(row),
    // The mark records what ran it, as far as that is visible: the command line of the parent process.
    RUN: `cat /proc/$PPID/cmdline >>${markOf(row)}`,
    PERSON_HOME: `${personHome}/${row.id}`,
    GIT_AUTHOR_NAME: 'Agent',
    GIT_AUTHOR_EMAIL: 'agent@example.test',
    GIT_COMMITTER_NAME: 'Agent',
    GIT_COMMITTER_EMAIL: 'agent@example.test',
  };
}

/** Shell functions for plants and for the person. */
export const prelude = String.raw`
program() { mkdir -p "$(dirname "$1")" && printf '#!/bin/sh\n%s\n%s\n' "$RUN" "$2" >"$1" && chmod +x "$1"; }
repository() {
  git init -q -b main "$1" && echo one >"$1/file.txt" && echo two >"$1/other.txt" &&
  git -C "$1" add file.txt other.txt && git -C "$1" commit -qm first && echo changed >>"$1/file.txt"
}
every_key() {
  set_key() { git config --file "$config" "$@"; }
  config="$1/config"
  for key in core.fsmonitor core.pager core.editor sequence.editor diff.external core.sshCommand pager.status \
    pager.log pager.diff pager.branch interactive.diffFilter credential.helper filter.p.clean filter.p.smudge \
    diff.p.textconv merge.p.driver remote.origin.uploadpack core.alternateRefsCommand; do
    set_key "$key" "$RUN #"
  done
  set_key remote.origin.url . ; set_key alias.st "!$RUN"
  for hook in pre-commit post-checkout post-index-change post-commit reference-transaction; do program "$1/hooks/$hook"; done
  mkdir -p "$1/info" && echo '* filter=p diff=p merge=p' >"$1/info/attributes"
}
reads() { for read_file in "$@"; do grep -qsF "$MARK" "$read_file" && echo "reads $read_file" >>"$MARK"; done; }
`;

/** What a person types every day, in one folder. Commands are independent: one that fails does not stop the rest. */
const everyday = String.raw`
a_day_in() (
  cd "$1" 2>/dev/null || exit 0
  # What ran once is enough to know.
  quick() { [ -e "$MARK" ] || timeout -k 1 10 "$@" </dev/null; }
  quick git rev-parse --is-inside-work-tree --abbrev-ref HEAD; quick git status --porcelain --branch
  quick git status; quick git diff; quick git diff --cached; quick git log -3 -p; quick git show --stat
  quick git branch; quick git st; quick git add -A; quick git diff --cached
  quick git commit -qm mine; quick git commit -q --amend; quick git checkout -q -b "day$2"
  quick git checkout -q -; quick git checkout -q .; quick git fetch -q; quick git worktree list
  quick git stash; quick git stash pop; quick git status
)
`;

/** The most folders in which the everyday commands run. */
const maxFolders = 8;

/** Rows that share a project and a session. The first one defines the preparation. */
export interface Planting {
  readonly id: string;
  readonly rows: readonly [HostileRow, ...HostileRow[]];
}

export function plantingsOf(rows: readonly HostileRow[]): readonly Planting[] {
  const byId = new Map<string, [HostileRow, ...HostileRow[]]>();
  for (const row of rows) {
    const id = row.group ?? row.id;
    const together = byId.get(id);
    if (together === undefined) byId.set(id, [row]);
    else together.push(row);
  }
  return [...byId].map(([id, together]) => ({ id, rows: together }));
}

/** Runs before the session. */
export function prepareScript({ rows: [row] }: Planting, { folder }: RowPlace): string {
  return prepareOne(row, folder);
}

function prepareOne(row: HostileRow, folder: string): string {
  const first = String.raw`
git init -q -b main . && echo '# project' >README.md && mkdir -p src && echo 'x = 1' >src/app.py && git add -A &&
git commit -qm first && echo 'y = 2' >>src/app.py && git commit -qam second`;
  return `${asPerson(row)}
mkdir -p '${folder}' && cd '${folder}' || exit 1
${row.start === 'folder' ? 'echo "# project" >README.md' : first}
mkdir -p '${folder}/${row.workspace ?? '.'}'
${row.prepare ?? ''}
`;
}

/** What the session would have run, for a container without Dewpoint. */
export function bareScript(planting: Planting, { folder }: RowPlace): string {
  const commands = plantsOf(planting);
  const { workspace = '.' } = planting.rows[0];
  return `mkdir -p ${marks}
export HOME=/tmp/agent-home
cd '${folder}/${workspace}' || exit 1
${commands.map((command) => `(\n${command}\n) </dev/null`).join('\n')}
sleep ${commands.some((command) => command.includes('setsid -f')) ? 3 : 0}
`;
}

/** The commands of a session. All rows of a group are one command. */
export function plantsOf({ rows }: Planting): readonly string[] {
  const withEnvironment = (row: HostileRow, plant: string): string => `${assigned(plantEnvironment(row))}\n${plant}`;
  const [first, ...others] = rows;
  if (others.length === 0) return [first.plant].flat().map((plant) => `${prelude}\n${withEnvironment(first, plant)}`);
  const each = rows.map((row) => `(\n${withEnvironment(row, [row.plant].flat().join('\n'))}\n)`);
  return [[prelude, ...each].join('\n')];
}

/** The person's side afterwards. Writes what ran the payloads: `ID.SIDE.everyday`, `ID.SIDE.choice`. */
export function personScript({ rows }: Planting, place: RowPlace): string {
  return rows.map((row) => `(\n${personOne(row, place)}\n)`).join('\n');
}

function personOne(row: HostileRow, { folder, reports, side }: RowPlace): string {
  const report = (when: string): string =>
    `if [ -e "$MARK" ]; then tr '\\0' ' ' <"$MARK" >'${reports}/${row.id}.${side}.${when}'; rm -rf "$MARK"; fi`;
  const folders = (row.folders ?? []).map((one) => `'${one}'`).join(' ');
  const days = `
find . -mindepth 1 -maxdepth 9 \\( -name .git -o -name objects -o -name refs \\) -prune -o -type d -print0 2>/dev/null |
  sort -z | head -z -n ${maxFolders} >"$HOME/.folders"
day=0
a_day_in . 0
for below in ${folders}; do [ -e "$MARK" ] && break; day=$((day + 1)); a_day_in "$below" $day; done
while IFS= read -r -d '' below; do [ -e "$MARK" ] && break; day=$((day + 1)); a_day_in "$below" $day; done <"$HOME/.folders"`;
  const lines = (row.person ?? '').split('\n').filter((line) => line.trim() !== '');
  return `${asPerson(row)}
${everyday}
cd '${folder}' || exit 1
${row.everyday === 'git' ? days : ''}
${report('everyday')}
cd '${folder}'
${lines.map((line) => `${line}\n`).join('')}
sleep ${row.person?.includes('&') === true ? '0.3' : '0'}
${report('choice')}
true
`;
}

function asPerson(row: HostileRow): string {
  const { MARK = '', RUN = '' } = plantEnvironment(row);
  return `${assigned({ MARK, RUN, HOME: `${personHome}/${row.id}`, PAGER: 'cat', EDITOR: 'true', TERM: 'xterm' })}
${prelude}
rm -rf "$HOME"; mkdir -p "$HOME" ${marks}
cat >"$HOME/.gitconfig" <<'END'
[user]
	name = Person
	email = person@example.test
[init]
	defaultBranch = main
[alias]
	st = status
[advice]
	detachedHead = false
END`;
}

function assigned(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n');
}
