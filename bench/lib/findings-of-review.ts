/** The findings of a hostile review of commit a7d0aee, and the tests for each. All of them failed on that commit. */
export interface Finding {
  readonly number: number;
  readonly what: string;
  /** `name`: a part of the test's full name. */
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

const guard = 'tests/main/sandbox/workspace/repositories/repository-guard.test.ts';
const corpus = 'tests/hostile/corpus.test.ts';
const slow = 'tests/lint/slow-patterns.test.ts';
const approval = 'tests/main/hosts/cli/questions/approval-question.test.ts';
const events = 'tests/main/hosts/cli/terminal/hostile-events.test.ts';

export const findingsOfReview: readonly Finding[] = [
  {
    number: 1,
    what: 'nested repositories',
    tests: [
      { file: guard, name: 'sees a repository that is put together in several steps' },
      { file: corpus, name: 'key-nested-core-fsmonitor' },
      { file: corpus, name: 'place-nested-added' },
    ],
  },
  {
    number: 2,
    what: 'pins run out',
    tests: [
      {
        file: 'tests/main/sandbox/docker/protection/protected-mounts.test.ts',
        name: 'of the project itself are never given up for others',
      },
      { file: corpus, name: 'hidden-behind-decoys' },
      { file: corpus, name: 'hidden-behind-shallow-decoys' },
    ],
  },
  {
    number: 3,
    what: 'host programs start in the current folder',
    tests: [
      {
        file: 'tests/main/lib/programs/host-programs.test.ts',
        name: 'in a folder with programs of its own, nothing of it runs',
      },
    ],
  },
  {
    number: 4,
    what: 'an imported session brings its own yes',
    tests: [{ file: 'tests/main/sessions/library/imported-grants.test.ts', name: 'asks for hosts again' }],
  },
  {
    number: 5,
    what: 'slow patterns: secrets',
    tests: [{ file: 'tests/main/sandbox/workspace/secret-files.test.ts', name: 'costs no more per byte' }],
  },
  {
    number: 6,
    what: 'slow patterns: devcontainer.json',
    tests: [
      { file: slow, name: 'read no part of a text again and again' },
      { file: slow, name: 'are measured, or left out with a reason' },
    ],
  },
  {
    number: 7,
    what: 'escape codes on the terminal',
    tests: [{ file: events, name: 'does nothing to a terminal that a session is shown on' }],
  },
  {
    number: 8,
    what: 'a key in the doctor’s bundle',
    tests: [
      { file: 'tests/main/hosts/cli/reports/doctor-bundle.test.ts', name: 'holds no key that stands in any text' },
    ],
  },
  {
    number: 9,
    what: 'a request without framing',
    tests: [{ file: 'tests/main/sandbox/network/plain-requests.test.ts', name: 'takes nothing of the way with it' }],
  },
  {
    number: 10,
    what: 'unfinished frames before the token',
    tests: [
      {
        file: 'tests/main/hosts/web/pending-sockets.test.ts',
        name: 'takes a few bytes of a socket that has not shown the token',
      },
    ],
  },
  {
    number: 11,
    what: 'more secrets than are hidden',
    tests: [
      { file: 'tests/docker/sandbox-protection.test.ts', name: 'of which one cannot be hidden start nothing' },
      { file: 'tests/main/sandbox/workspace/secret-files.test.ts', name: 'by the names' },
    ],
  },
  {
    number: 12,
    what: 'a path that draws a line of an approval',
    tests: [
      { file: approval, name: 'has its name on one line, and no part of it looks like a line of ours' },
      { file: approval, name: 'is given at a prompt that names the hosts' },
    ],
  },
  {
    number: 13,
    what: 'an unterminated code hides the rest of a line',
    tests: [
      { file: 'tests/main/hosts/cli/hostile-answers.test.ts', name: 'does nothing to a terminal' },
      {
        file: 'tests/main/hosts/cli/terminal/terminal.test.ts',
        name: 'keeps what stands behind a title that does not end',
      },
    ],
  },
  {
    number: 14,
    what: 'an open home',
    tests: [
      { file: 'tests/main/server/owner/claim-home.test.ts', name: 'is made this user alone' },
      { file: 'tests/faults/program-privacy.test.ts', name: 'holds nothing that others may read' },
    ],
  },
  {
    number: 15,
    what: 'slow patterns: output of tests',
    tests: [{ file: slow, name: 'read no part of a text again and again' }],
  },
  {
    number: 16,
    what: 'the engine’s process has the whole environment',
    tests: [
      { file: 'tests/main/lib/programs/host-programs.test.ts', name: 'when the engine starts, which gets no key' },
    ],
  },
  {
    number: 17,
    what: 'the runner kills everything where it is not process 1',
    tests: [
      {
        file: 'tests/docker/runner.test.ts',
        name: 'that starts the runner a second time finds all its processes alive',
      },
    ],
  },
  {
    number: 18,
    what: 'names that are left out of lists',
    tests: [
      {
        file: 'tests/main/sandbox/docker/files/writes-under-way.test.ts',
        name: 'is left out of a look while the write goes on',
      },
    ],
  },
  {
    number: 19,
    what: 'what the packaged app’s fuses protect',
    tests: [
      {
        file: 'tests/electron/packaged.test.ts',
        name: 'runs in its window only what lies in the archive, with a hash',
      },
    ],
  },
];
