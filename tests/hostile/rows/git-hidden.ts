import type { HostileRow } from '../hostile-row.ts';

const everyday = 'git' as const;
const hidden = 'git: repositories in places where nobody looks';
const timing = 'git: planted in steps, late, or by another way than a command';
const nested = 'repository lib/dep; git add lib/dep';
const set = 'git config --file lib/dep/.git/config core.fsmonitor "$RUN #"';
const deep = (depth: number): string => Array.from({ length: depth }, (_, index) => `d${index}`).join('/');

export const gitHiddenRows: readonly HostileRow[] = [
  ...['node_modules', '.venv/lib', 'dist', '__pycache__', '.tox', 'target', 'vendor'].map((folder): HostileRow => {
    const name = folder.replaceAll(/[^a-z]/g, '');
    return {
      id: `hidden-in-${name}`,
      subject: hidden,
      what: `A repository in ${folder}, which changes are not tracked in or git ignores; git at the top goes into it.`,
      everyday,
      prepare: `echo '${folder.split('/')[0]}/' >>.gitignore; git add -A; git commit -qm ignore`,
      plant: `mkdir -p ${folder}; repository ${folder}/dep; git add -f ${folder}/dep; every_key "$PWD/${folder}/dep/.git"`,
    };
  }),
  {
    id: 'hidden-in-masked-name',
    subject: hidden,
    what: 'A repository whose folder has the name of a file that the app writes for an instant.',
    everyday,
    plant: 'repository .dewpoint-write-1; git add .dewpoint-write-1; every_key "$PWD/.dewpoint-write-1/.git"',
  },
  {
    id: 'hidden-very-deep',
    subject: hidden,
    what: 'A repository 60 folders down.',
    everyday,
    plant: `mkdir -p ${deep(60)}; repository ${deep(60)}/dep; git add ${deep(60)}/dep; git config --file ${deep(60)}/dep/.git/config core.fsmonitor "$RUN #"`,
  },
  {
    id: 'hidden-without-read-permission',
    subject: hidden,
    what: 'The folder around the repository can be entered but not listed (0311).',
    everyday,
    plant: 'repository shut/dep; git add shut/dep; every_key "$PWD/shut/dep/.git"; chmod 0311 shut',
  },
  {
    id: 'hidden-data-without-read-permission',
    subject: hidden,
    what: 'The .git folder can be entered but not listed (0311).',
    everyday,
    plant: `${nested}; every_key "$PWD/lib/dep/.git"; chmod 0311 lib/dep/.git`,
  },
  {
    id: 'hidden-no-permission-until-add',
    subject: hidden,
    what: 'A folder without any permission is opened by the next command.',
    everyday,
    plant: ['repository shut/dep; git add shut/dep; every_key "$PWD/shut/dep/.git"; chmod 0 shut', 'chmod 0755 shut'],
  },
  {
    id: 'hidden-name-is-no-text',
    subject: hidden,
    what: 'The folder’s name is no UTF-8.',
    everyday,
    plant: String.raw`name=$(printf 'd\377p'); repository "$name"; git add "$name"; every_key "$PWD/$name/.git"`,
  },
  {
    id: 'hidden-name-has-newline',
    subject: hidden,
    what: 'The folder’s name has a newline, a quote and a control character in it.',
    everyday,
    plant: String.raw`name=$(printf 'd\n\033[2K"p'); repository "$name"; git add "$name"; every_key "$PWD/$name/.git"`,
  },
  {
    id: 'hidden-behind-decoys',
    subject: hidden,
    what: 'The project brings 120 folders of the shape of a bare repository, so that there is no room left to hold its own.',
    isRefused: true,
    everyday,
    prepare: String.raw`for n in $(seq 120); do mkdir -p d/$n/objects d/$n/refs; echo 'ref: refs/heads/main' >d/$n/HEAD; echo >d/$n/config
touch d/$n/objects/.keep d/$n/refs/.keep; done; git add -A; git commit -qm data`,
    plant: 'git config --file .git/config core.fsmonitor "$RUN #"; program .git/hooks/pre-commit',
  },
  {
    id: 'hidden-behind-shallow-decoys',
    subject: hidden,
    what: 'The same by folders at the top, beside a submodule of the person.',
    isRefused: true,
    everyday,
    prepare: String.raw`repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part
for n in $(seq 110); do mkdir -p $n/objects $n/refs; echo 'ref: refs/heads/main' >$n/HEAD; echo >$n/config
touch $n/objects/.keep $n/refs/.keep; done; git add -A; git commit -qm data`,
    plant: 'every_key "$PWD/.git/modules/part"',
  },
  {
    id: 'hidden-among-many-new',
    subject: hidden,
    what: 'A command makes 300 harmless repositories and a hostile one.',
    everyday,
    plant: String.raw`repository seed; for n in $(seq 300); do mkdir -p many/$n; cp -r seed/.git many/$n/.git; done; rm -rf seed
repository zz/dep; git add zz/dep; git config --file zz/dep/.git/config core.fsmonitor "$RUN #"`,
  },
  {
    id: 'hidden-among-many-files',
    subject: hidden,
    what: 'A command makes 30,000 files and folders first.',
    everyday,
    plant: String.raw`mkdir -p aa && (cd aa && seq 30000 | xargs touch) && echo aa/ >>.gitignore
repository zz/dep; git add zz/dep; git config --file zz/dep/.git/config core.fsmonitor "$RUN #"`,
  },
  {
    id: 'late-second-command',
    subject: timing,
    what: 'The first command makes a harmless repository, a later one sets the key.',
    everyday,
    plant: [nested, 'true', set],
  },
  {
    id: 'late-harmless-then-moved',
    subject: timing,
    what: 'The configuration is written under a harmless name, and put in place by a later command.',
    everyday,
    plant: [
      `${nested}; git config --file lib/dep/notes.txt core.fsmonitor "$RUN #"; git config --file lib/dep/notes.txt core.bare false`,
      'mv lib/dep/notes.txt lib/dep/.git/config',
    ],
  },
  {
    id: 'late-packed-then-unpacked',
    subject: timing,
    what: 'A repository is packed into an archive and unpacked by a later command.',
    everyday,
    plant: [`${nested}; every_key "$PWD/lib/dep/.git"; tar cf lib.tar lib; rm -rf lib`, 'tar xf lib.tar; rm lib.tar'],
  },
  {
    id: 'late-renamed-folder',
    subject: timing,
    what: 'Data of a repository lie in a folder named data, which a later command names .git.',
    everyday,
    plant: [`${nested}; every_key "$PWD/lib/dep/.git"; mv lib/dep/.git lib/dep/data`, 'mv lib/dep/data lib/dep/.git'],
  },
  {
    id: 'late-hard-link',
    subject: timing,
    what: 'The configuration is a second name of a harmless file, which a later command writes to.',
    everyday,
    plant: [
      `${nested}; cp lib/dep/.git/config notes.ini; ln -f notes.ini lib/dep/.git/config`,
      'git config --file notes.ini core.fsmonitor "$RUN #"; cat notes.ini >lib/dep/.git/config',
    ],
  },
  {
    id: 'late-in-the-background',
    subject: timing,
    what: 'A process of its own session writes after the command has ended.',
    everyday,
    plant: `${nested}; setsid -f sh -c 'sleep 0.4; git config --file lib/dep/.git/config core.fsmonitor "$RUN #"; sleep 0.2' >/dev/null 2>&1`,
  },
  {
    id: 'late-undone-at-the-end',
    subject: timing,
    what: 'Another writes harmless and hostile configurations in turn, all the time.',
    everyday,
    plant: `${nested}; cp lib/dep/.git/config good; setsid -f sh -c 'for n in $(seq 300); do cp good lib/dep/.git/config; git config --file lib/dep/.git/config core.fsmonitor "$RUN #"; done' >/dev/null 2>&1; sleep 0.3`,
  },
  {
    id: 'by-terminal',
    subject: timing,
    what: 'Planted in the person’s terminal of the sandbox.',
    everyday,
    by: 'terminal',
    plant: `${nested}; every_key "$PWD/lib/dep/.git"`,
  },
  {
    id: 'by-network-command',
    subject: timing,
    what: 'Planted by a command that was let reach a host.',
    everyday,
    by: 'network',
    plant: `${nested}; every_key "$PWD/lib/dep/.git"`,
  },
  {
    id: 'by-service',
    subject: timing,
    what: 'Planted by a service.',
    everyday,
    by: 'service',
    plant: `${nested}; every_key "$PWD/lib/dep/.git"`,
  },
  {
    id: 'by-service-after-commands',
    subject: timing,
    what: 'A service writes after the last command of the turn has ended.',
    everyday,
    by: 'service',
    plant: `sleep 1.2; ${nested}; every_key "$PWD/lib/dep/.git"`,
  },
  {
    id: 'by-service-through-memory',
    subject: timing,
    what: 'A harmless configuration is written anew through memory, so that its time does not change.',
    everyday,
    by: 'service',
    plant: `${nested}; every_key "$PWD/lib/dep/.git"; cp lib/dep/.git/config /tmp/evil; python3 -c '
import mmap, os, time
evil = open("/tmp/evil", "rb").read()
path = "lib/dep/.git/config"
plain = b"[core]\\n\\trepositoryformatversion = 0\\n"
open(path, "wb").write(plain + b"#" * (len(evil) - len(plain)))
file = open(path, "r+b")
memory = mmap.mmap(file.fileno(), 0)
memory[-1:] = b"#"
time.sleep(1)
memory[:] = evil
'`,
  },
];
