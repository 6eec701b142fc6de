import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const seconds = (count: number): number => count * 1000;

type Suite = {
  readonly name: string;
  readonly folders: readonly string[];
  /** In place of all tests of the folders. */
  readonly files?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Suites that share a machine's one engine, daemon or display run file by file. */
  readonly isParallel: boolean;
};

// scripts/test.mjs runs these by name; each name is also an npm script.
const suites: readonly Suite[] = [
  {
    name: 'unit',
    folders: ['shared', 'main', 'renderer', 'bench', 'scripts', 'lint'],
    timeoutMs: seconds(60),
    isParallel: true,
  },
  { name: 'contracts', folders: ['contracts'], timeoutMs: seconds(60), isParallel: true },
  // Recipes against real shells and test runners.
  { name: 'recipes', folders: ['recipes'], timeoutMs: seconds(60), isParallel: true },
  { name: 'docker', folders: ['docker'], timeoutMs: seconds(120), isParallel: false },
  // Ways in which files make a program of the host run.
  { name: 'hostile', folders: ['hostile'], timeoutMs: seconds(120), isParallel: false },
  { name: 'keyring', folders: ['keyring'], timeoutMs: seconds(240), isParallel: false },
  { name: 'engines', folders: ['engines'], timeoutMs: seconds(120), isParallel: false },
  // Where there is a graphics card.
  { name: 'gpu', folders: ['gpu'], timeoutMs: seconds(120), isParallel: false },
  { name: 'faults', folders: ['faults'], timeoutMs: seconds(120), isParallel: false },
  // The long proofs as a whole, of which the other suites run samples. Only where it is named.
  {
    name: 'proofs',
    folders: ['faults', 'docker', 'electron', 'hostile', 'main/**', 'shared/**'],
    files: [
      'planted-tasks',
      'program-core-kill',
      'program-kill',
      'undo-kill',
      'compare-kill',
      'log-kill',
      'program-folders',
      'end-in-view',
      'hostile-servers',
      'tools-kill',
      'canvas',
      'child-agents',
      'corpus',
      'hostile-children',
      'hostile-programs',
      'child-caps',
      'reservations-kill',
      'sign-in-renewals',
      'sandbox-trees',
      'fenced-routes',
      'fenced-tools',
      'host-folder-race',
      'allow-list-proxy',
      'choose-model',
      'endpoint-schedules',
      'made-secrets',
    ],
    env: { DEWPOINT_PROOFS: 'whole' },
    timeoutMs: seconds(600),
    isParallel: false,
  },
  // On a busy machine, a window takes minutes for what usually takes seconds.
  { name: 'electron', folders: ['electron'], timeoutMs: seconds(240), isParallel: false },
  { name: 'e2e', folders: ['e2e'], timeoutMs: seconds(600), isParallel: false },
];

// Only for scripts/pictures.mjs: it proves nothing, it shows.
const pictures: Suite = { name: 'pictures', folders: ['pictures'], timeoutMs: seconds(60), isParallel: false };

export default defineConfig({
  resolve: { alias: { '@shared': resolve('src/shared') } },
  test: {
    environment: 'node',
    // Left alone it would use one of two cores; and a third of the time tests wait for a disk or a process.
    maxWorkers: availableParallelism() + 1,
    projects: (process.env.DEWPOINT_PICTURES === undefined ? suites : [pictures]).map((suite) => ({
      extends: true,
      test: {
        name: suite.name,
        include: suite.folders.flatMap((folder) =>
          (suite.files ?? ['**/*']).map((file) => `tests/${folder}/${file}.test.{ts,tsx,mjs}`),
        ),
        env: suite.env ?? {},
        testTimeout: suite.timeoutMs,
        hookTimeout: suite.timeoutMs,
        // By itself a poll gives up after a second, in which a busy machine may do nothing at all.
        expect: { poll: { timeout: suite.timeoutMs / 2 } },
        fileParallelism: suite.isParallel,
        globalSetup: suite.name === 'unit' ? ['tests/temporary-folder.ts'] : [],
        // Unit tests share nothing that lasts, so a worker need not load everything anew for each of 170 files: a
        // third of the time. The others start processes and change the environment.
        isolate: suite.name !== 'unit',
      },
    })),
  },
});
