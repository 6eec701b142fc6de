import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calibrationInputSchema, type Calibration } from '../../../../src/shared/calibration/calibration.ts';
import { success } from '../../../../src/shared/errors.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';
import { gatherFacts } from '../../../../src/main/projects/facts/gather-project-facts.ts';
import { makeTasks } from '../../../../src/main/sessions/calibrations/make-tasks.ts';
import { commandForFiles } from '../../../../src/main/sessions/calibrations/trial-place.ts';
import { fakeSymbols } from '../../../fakes/fake-symbols.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';
import { workedSessions } from '../../../fakes/real-repository.ts';
import { createMemorySandbox, type MemoryExecHandler } from '../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-make-tasks-')));
  await mkdir(join(folder, 'project'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const sources = { 'app/cart.py': 'class Cart:\n    def add(self, item):\n        return item\n' };
const withTests = { ...sources, 'tests/test_cart.py': 'def test_cart():\n    assert False\n' };

/** Makes tasks of a project whose tests behave in some way. */
async function madeOf(files: Readonly<Record<string, string>>, exec: MemoryExecHandler): Promise<Calibration> {
  let calibration: Calibration = {
    id: 'one',
    createdAt: 1,
    input: calibrationInputSchema.parse({ projectPath: join(folder, 'project'), tasks: 4 }),
    state: 'making',
    why: null,
    project: null,
    tasks: [],
    tried: { commit: 0, fault: 0, question: 0 },
    dropped: {},
    runs: [],
    workedSeconds: 0,
    kept: null,
  };
  let open = 0;
  await makeTasks({
    options: {
      trial: {
        startSandbox: async () => {
          open += 1;
          const sandbox = createMemorySandbox({ files, exec });
          return success({ ...sandbox, dispose: async () => void (open -= 1) });
        },
        settings: () => settingsSchema.parse({}).sandbox,
        masks: async () => [],
        gatherFacts: (_projectPath, sandboxFiles, signal) => gatherFacts(sandboxFiles, signal),
        onProgress: () => undefined,
      },
      runGit: workedSessions(createMemoryJournal()).runGit,
      symbols: () => fakeSymbols(),
    },
    signal: new AbortController().signal,
    current: () => calibration,
    put: async (change) => {
      calibration = { ...calibration, ...change };
    },
    folder: join(folder, 'project'),
    workspaces: folder,
    historyPath: join(folder, 'project'),
    ready: async () => undefined,
  });
  expect(open).toBe(0);
  return calibration;
}

const notesOf = ({ project }: Calibration): string => project?.notes.join(' ') ?? '';

/** Catches: tests that say nothing, taken for a judge. */
describe('the making of tasks', () => {
  it('says that there are no tests, and runs no command then', async () => {
    const done = await madeOf(sources, () => {
      throw new Error('There is nothing to run.');
    });
    expect(notesOf(done)).toContain('No tests were found. So there are questions at most');
    expect(done.project?.testCommand).toBeNull();
  });

  it.each([
    ['fail as they are', { exitCode: 1, stdout: 'Segmentation fault' }, 'says "Segmentation fault"'],
    ['do not end', { outcome: 'timed-out', exitCode: null }, 'The tests did not come to an end in time.'],
    [
      'need the network',
      { exitCode: 1, stderr: 'Error: getaddrinfo ENOTFOUND registry.example.org' },
      'The tests need the network, which they do not have here.',
    ],
  ] as const)('makes no task of code from tests that %s, and says so', async (_how, result, note) => {
    const done = await madeOf(withTests, () => result);
    expect(notesOf(done)).toContain(note);
    expect(notesOf(done)).toContain('there are questions at most');
    expect(done.tried).toEqual({ commit: 0, fault: 0, question: done.tried.question });
  });

  it('names the tests in another language that its command does not run, and hands it none of them', async () => {
    const both = { ...withTests, 'web/cart.test.js': "import 'node:test';\n" };
    const commands: string[] = [];
    const done = await madeOf(both, ({ command }) => {
      commands.push(command);
      return { exitCode: 0, stdout: '1 passed in 0.1s' };
    });
    expect(notesOf(done)).toContain('1 test file is not run by python3 -m pytest -q, such as web/cart.test.js');
    expect(commands.join(' ')).not.toContain('cart.test.js');
    const pytest = { command: 'python3 -m pytest -q', runner: 'pytest' } as const;
    expect(commandForFiles(pytest, ['web/cart.test.js', 'tests/test_cart.py'])).toBe(
      'python3 -m pytest -q tests/test_cart.py',
    );
    expect(commandForFiles(pytest, ['web/cart.test.js'])).toBeNull();
  });

  it('makes no task of code from tests that pass once and fail once', async () => {
    let runs = 0;
    const done = await madeOf(withTests, () => {
      runs += 1;
      return { exitCode: runs === 1 ? 0 : 1, stdout: runs === 1 ? '1 passed in 0.1s' : '1 failed in 0.1s' };
    });
    expect(notesOf(done)).toContain('passed once and failed once');
  });

  it('says that there is no history, and goes on to faults', async () => {
    const done = await madeOf(withTests, () => ({ exitCode: 0, stdout: '1 passed in 0.1s' }));
    expect(notesOf(done)).toContain('has no git history');
    expect(done.tried.fault).toBeGreaterThan(0);
  });
});
