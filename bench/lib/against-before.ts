import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { builtFolder, firstPage, startElectron, testEnvironment } from '../../tests/electron/launch.ts';
import { ensureShellAndDisplay } from '../../tests/electron/setup.ts';
import type { BenchRow } from './rows.ts';
import { timeProgram } from './time-program.ts';

/** How one checkout does, in a unit of its own. */
type Measure = (checkout: string) => Promise<number>;

interface Compared {
  readonly figure: string;
  readonly measure: Measure;
  readonly rounds: number;
}

const compared: readonly Compared[] = [
  { figure: 'dewpoint --help (ms)', measure: (checkout) => timeProgram([cliOf(checkout), '--help']), rounds: 20 },
  { figure: 'a question and its answer in the terminal (ms)', measure: answerMs, rounds: 10 },
  { figure: 'processor time of a step of the agent (ms)', measure: stepMs, rounds: 6 },
  { figure: 'start of the window (ms)', measure: windowMs, rounds: 6 },
  { figure: 'memory of a core at rest (MB)', measure: restingMegabytes, rounds: 3 },
];

/**
 * Compares this checkout with one of an earlier state, where `npm start`, `npm run bench` and the window's tests were
 * built. Both take turns, so that a busy machine slows both. What others do on the machine only ever adds, so the
 * smallest value of each counts.
 */
export async function againstBefore(before: string): Promise<readonly BenchRow[]> {
  const endDisplay = await ensureShellAndDisplay();
  try {
    const rows: BenchRow[] = [];
    for (const one of compared) {
      console.error(`${one.figure} …`);
      rows.push(await compare(one, before));
    }
    return rows;
  } finally {
    endDisplay();
  }
}

async function compare({ figure, measure, rounds }: Compared, before: string): Promise<BenchRow> {
  let [was, is] = [Infinity, Infinity];
  // The first round is not counted: it brings files into memory.
  for (let round = 0; round <= rounds; round += 1) {
    const [old, now] = [await measure(before), await measure(process.cwd())];
    if (round > 0) [was, is] = [Math.min(was, old), Math.min(is, now)];
  }
  const note = `${is.toPrecision(3)} against ${was.toPrecision(3)}, the smallest of ${rounds}`;
  return { figure: `after against before: ${figure}`, value: is / was, unit: '', target: { atMost: 1.05 }, note };
}

const cliOf = (checkout: string): string => join(checkout, 'out', 'main', 'cli.cjs');

/** Does the work with a new home whose model answers at once. */
async function withHome<T>(replies: readonly object[], work: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-bench-before-'));
  try {
    const providers = { script: { kind: 'scripted', replies, strategies: ['loop'] } };
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'settings.json'), JSON.stringify({ local: 'script/script', providers }));
    return await work(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function answerMs(checkout: string): Promise<number> {
  return withHome([{ text: 'Paris.' }], (home) =>
    timeProgram([cliOf(checkout), 'run', 'What is the capital of France?'], {
      env: { ...process.env, DEWPOINT_HOME: home },
    }),
  );
}

async function stepMs(checkout: string): Promise<number> {
  const lines: string[] = [];
  await timeProgram([join(checkout, 'out', 'bench', 'main.mjs'), 'overhead', '--no-fail'], {
    onLine: (line) => lines.push(line),
  });
  const figure = 'processor time per step, mean';
  return Number.parseFloat(lines.find((line) => line.startsWith(figure))?.slice(figure.length) ?? '');
}

const closeMs = 10_000;

/** Until the field for a task can be used. */
function windowMs(checkout: string): Promise<number> {
  return withHome([], async (home) => {
    const started = performance.now();
    const program = resolve(checkout, basename(builtFolder), 'main', 'index.cjs');
    const app = await startElectron([program], testEnvironment(home));
    try {
      await (await firstPage(app)).getByRole('textbox', { name: 'Task' }).waitFor();
      return performance.now() - started;
    } finally {
      // The older Electron of the tests hangs at times when it ends.
      const closed = await Promise.race([app.close().then(() => true), wait(closeMs, false)]);
      if (!closed) app.process().kill('SIGKILL');
    }
  });
}

const restAfterMs = 15_000;

/** What a process that owns a home and serves its page keeps in memory while nothing is asked of it. */
function restingMegabytes(checkout: string): Promise<number> {
  return withHome([], async (home) => {
    const child = spawn(process.execPath, [...process.execArgv, cliOf(checkout), 'serve'], {
      env: { ...process.env, DEWPOINT_HOME: home },
      stdio: 'ignore',
    });
    const ended = new Promise((done) => child.once('close', done));
    try {
      await wait(restAfterMs);
      const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) / 1000;
    } finally {
      child.kill();
      await ended;
    }
  });
}
