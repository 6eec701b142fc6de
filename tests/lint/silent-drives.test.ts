import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/**
 * A call on a drive that another machine serves may never return, and holds a thread of the process. So a file that calls
 * the file system itself asks through `askDrive` or takes its calls from `drive-calls.ts`, or it stands here, with why it need not. A folder ends with a slash.
 */

/** Calls only on the home, the cache, what ships with Dewpoint, and places of the system. */
const ofThisMachine = [
  'agent/changes/baseline-file.ts',
  'documents/knowledge/knowledge-files.ts',
  'documents/parsers/draw-page.ts',
  'documents/run-parser.ts',
  'documents/search/index-client.ts',
  'endpoint/',
  'git/process/run-apart.ts',
  'home/',
  'hosts/cli/commands/models/',
  'hosts/cli/terminal/edit-text.ts',
  'hosts/cli/commands/projects/project-page.command.ts',
  'hosts/cli/commands/serve.command.ts',
  'hosts/desktop/commands.ts',
  'hosts/desktop/window-state.ts',
  'hosts/page-files.ts',
  'hosts/web/',
  'memory/',
  'models/',
  'money/',
  'projects/project-store.ts',
  'routing/',
  'safety/fence-memory.ts',
  'safety/receipt/',
  'sandbox/docker/engine/',
  'sandbox/docker/runner/',
  'sandbox/docker/user/commit-author.ts',
  'sandbox/docker/user/container-identity.ts',
  'sandbox/images/sandbox-image.ts',
  'sandbox/network/',
  'sandbox/docker/packages/prepare-dependencies.ts',
  'sandbox/packages/dependency-records.ts',
  'sandbox/packages/package-preparations.ts',
  'sandbox/workspace/hidden-memory.ts',
  'server/',
  'sessions/blobs/',
  'sessions/calibrations/',
  'sessions/comparisons/comparison-store.ts',
  'sessions/comparisons/tasks/drop-tasks.ts',
  'sessions/comparisons/tasks/first-files.ts',
  'sessions/library/copy-log.ts',
  'sessions/library/forget-everywhere.ts',
  'sessions/library/forget-in-log.ts',
  'sessions/library/move-talks.ts',
  'sessions/library/session-library.ts',
  'sessions/log/',
  'sessions/open/start-session-sandbox.ts',
  'sessions/search/',
  'sessions/store/session-list.ts',
  'sessions/store/session-store.ts',
  'sessions/store/session-view.ts',
  'sessions/store/state-snapshot.ts',
  'settings/',
  'tools/own/',
  'tools/servers/',
  'tools/sign-in/',
];

/** Parts of work that a caller does through `askDrive`, by the caller. */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  'sandbox/read-only/read-only-sandbox.ts': ['sandbox/read-only/'],
  'sandbox/workspace/find-hidden-files.ts': ['sandbox/workspace/workspace-scan.ts'],
  'sandbox/workspace/prepare-workspace.ts': [
    'sandbox/workspace/copy-workspace.ts',
    'sandbox/workspace/workspace-copy-plan.ts',
  ],
  'sandbox/workspace/repositories/repository-guard.ts': ['sandbox/workspace/repositories/'],
  'git/repository.ts': ['git/repository-files.ts'],
};

/**
 * Work of a process apart, which is killed when it takes too long. A killed process waits for a drive at most as long as
 * the drive is silent, and nobody waits for it.
 */
const inProcessApart = ['git/clone/clone-into.ts', 'git/clone/write-checkout.ts', 'git/past/', 'git/remote/'];

const root = resolve(import.meta.dirname, '../../src/main');
const listed = [...ofThisMachine, ...Object.values(partsOf).flat(), ...inProcessApart];
const asks = /\b(?:askDrive|workOnDrive|realPathOf|readFileBelow)\(/u;
/** Imports of types and constants alone call nothing. */
const calls = /^import (?!type)(?!\{ constants \})(?:(?!;)[^])*?\} from 'node:fs(?:\/promises)?';/mu;

const files = globSync('**/*.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('lib/'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  .filter(({ text }) => calls.test(text));
const isIn = (file: string, place: string): boolean => (place.endsWith('/') ? file.startsWith(place) : file === place);

it('a file that calls the file system asks whether the drive answers, or is listed with why it need not', () => {
  const left = files.filter(({ file, text }) => !asks.test(text) && !listed.some((place) => isIn(file, place)));
  expect(left.map(({ file }) => file)).toEqual([]);
});

it('the list of those that need not ask names none that asks, or that calls nothing', () => {
  const silent = files.filter(({ text }) => !asks.test(text)).map(({ file }) => file);
  expect(listed.filter((place) => !silent.some((file) => isIn(file, place)))).toEqual([]);
  const asking = (caller: string): boolean => asks.test(readFileSync(join(root, caller), 'utf8'));
  expect(Object.keys(partsOf).filter((caller) => !asking(caller))).toEqual([]);
});
