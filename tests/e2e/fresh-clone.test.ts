import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Tests the promise of the README's first page on a fresh clone with an empty home: one command, a real model on this
 * machine's processor, a real container, and a project whose tests pass afterwards.
 */
const call = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const minutes = 60_000;

let folder = '';
let clone = '';
let project = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-e2e-'));
  clone = join(folder, 'dewpoint');
  await call('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  // The task uses the clone's own example, as a new user's would.
  project = join(clone, 'examples', 'calculator');
  await mkdir(join(folder, 'home'));
}, 2 * minutes);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm start -- ARGS` in the clone, without this user's home. The cache of models and images stays. */
async function start(...args: string[]): Promise<Finished> {
  const { DEWPOINT_HOME: _home, ...inherited } = process.env;
  const environment = { ...inherited, HOME: join(folder, 'home'), XDG_DATA_HOME: '', XDG_CACHE_HOME: '' };
  const options = { cwd: clone, env: environment, maxBuffer: 64 * 1024 * 1024, timeout: 15 * minutes };
  try {
    const { stdout, stderr } = await call('npm', ['start', '--silent', '--', ...args], options);
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('stdout' in error) || !('stderr' in error)) throw error;
    return { code: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) };
  }
}

describe('a fresh clone with an empty home', () => {
  it(
    'finds and fixes the bug of the example with the starter model, in a container',
    async () => {
      const resultFile = join(folder, 'result.json');
      const before = await testProject();
      expect(before.code, 'the example has to be broken to begin with').not.toBe(0);

      const finished = await start(
        'run',
        '--project',
        project,
        '--json',
        '--result',
        resultFile,
        'A test fails in this project. Find the bug and fix it.',
      );
      expect(finished.code, finished.stderr.slice(-4000)).toBe(0);

      const events = finished.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events[0]).toMatchObject({ type: 'session-created', seq: 1 });
      expect(events.find((event) => event.type === 'sandbox-started')).toMatchObject({ tier: 'container' });
      expect(events.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'done' });
      const result = JSON.parse(await readFile(resultFile, 'utf8'));
      expect(result).toMatchObject({ status: 'done', check: { before: false, after: true }, costUsd: 0 });
      expect(result.changes).toHaveLength(1);

      const after = await testProject();
      expect(after.code, after.stdout).toBe(0);
    },
    20 * minutes,
  );

  it(
    'replays what it did to the same state, without a model',
    async () => {
      const finished = await start('replay', 'last', '--json');
      expect(JSON.parse(finished.stdout)).toMatchObject({ matched: true, firstDifference: null });
      expect(finished.code).toBe(0);
    },
    2 * minutes,
  );

  it(
    'takes the change back, and the project is broken as before',
    async () => {
      expect((await start('changes', 'last', 'undo')).code).toBe(0);
      expect((await testProject()).code).not.toBe(0);
      const { stdout } = await call('git', ['-C', clone, 'status', '--porcelain', '--', 'examples']);
      expect(stdout).toBe('');
    },
    2 * minutes,
  );
});

/** Runs the project's own tests on a copy, in a separate container and without Dewpoint. */
async function testProject(): Promise<Finished> {
  const copy = await mkdtemp(join(folder, 'check-'));
  await cp(project, copy, { recursive: true });
  const image = process.env.DEWPOINT_SANDBOX_IMAGE ?? 'dewpoint-sandbox:dev';
  try {
    const args = [
      'run',
      '--rm',
      '--network',
      'none',
      '-v',
      `${copy}:/workspace`,
      '-w',
      '/workspace',
      image,
      'python3',
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
    ];
    const { stdout, stderr } = await call('docker', args, { timeout: 2 * minutes });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('stdout' in error)) throw error;
    return { code: Number(error.code), stdout: String(error.stdout), stderr: error.message };
  }
}
