import { spawn, type ChildProcess } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { valueOf } from '@shared/errors.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createSymbolClient } from '../../../src/main/symbols/process/symbol-client.ts';
import { createProjectSymbols, type ProjectSymbols } from '../../../src/main/symbols/project-symbols.ts';
import { tagLanguageOf } from '../../../src/main/symbols/tags/tag-languages.ts';
import type { BenchRow, Target } from '../rows.ts';
import { median } from '../statistics.ts';

const processFile = resolve('out/main/symbols-process.cjs');
const changes = 5;
/** As a large model gets it. */
const tokens = 4_000;
const mostBytes = 200_000;

/**
 * How long the map of a project takes, on copies of this checkout's sources and of its packages. Needs a build, no
 * sandbox and no model.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const small = { cold: { atMost: 5 }, changed: { atMost: 100 }, memory: { atMost: 150 } };
  const published = { cold: null, changed: null, memory: null };
  return [...(await measureLines(50_000, small, signal)), ...(await measureLines(1_000_000, published, signal))];
}

type Targets = Readonly<Record<'cold' | 'changed' | 'memory', Target | null>>;

async function measureLines(wanted: number, targets: Targets, signal: AbortSignal): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-map-'));
  const project = join(folder, 'project');
  const running: ChildProcess[] = [];
  const client = createSymbolClient({
    programs: {
      start: (program, args, { stdio }) => {
        const child = spawn(program, [...args], { cwd: folder, stdio });
        running.push(child);
        return child;
      },
    },
    nodePath: process.execPath,
    processPath: processFile,
    databasePath: join(folder, 'symbols.sqlite'),
  });
  try {
    const { lines, paths } = await copySources(project, wanted, signal);
    const { files } = createReadOnlySandbox({ workspacePath: project, because: null });
    const symbols = createProjectSymbols({ project, files, client });
    const pauses = monitorEventLoopDelay({ resolution: 5 });
    pauses.enable();
    const cold = await timeMap(symbols, signal);
    pauses.disable();
    const times: number[] = [];
    for (const path of paths.slice(0, changes)) {
      await appendFile(join(project, path), '\n');
      times.push(await timeMap(symbols, signal));
    }
    const memory = peakMemory(running.at(-1)?.pid);
    const about = `map of ${lines.toLocaleString('en-US')} lines in ${paths.length} files`;
    const pause = `the core's longest pause meanwhile ${Math.round(pauses.max / 1e6)} ms`;
    return [
      { figure: `${about}, cold`, value: cold / 1000, unit: 's', target: targets.cold, note: pause },
      { figure: `${about}, after one changed file`, value: median(times), unit: 'ms', target: targets.changed },
      {
        figure: `${about}, memory of its process`,
        value: memory,
        unit: 'MB',
        target: targets.memory,
        note: memory === null ? 'only Linux tells it' : 'the most that it had',
      },
    ];
  } finally {
    client.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeMap(symbols: ProjectSymbols, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  valueOf(await symbols.map({ words: 'the limit of a budget is not kept', touched: [], tokens }, signal));
  return performance.now() - started;
}

/** The sources of this checkout first, then those of its packages. */
async function copySources(
  to: string,
  wanted: number,
  signal: AbortSignal,
): Promise<{ readonly lines: number; readonly paths: readonly string[] }> {
  const paths: string[] = [];
  let lines = 0;
  for (const from of ['src', 'tests', 'bench', 'node_modules']) {
    for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
      if (lines >= wanted) return { lines, paths };
      const source = join(entry.parentPath, entry.name);
      if (!entry.isFile() || tagLanguageOf(entry.name) === null) continue;
      signal.throwIfAborted();
      const text = await readFile(source, 'utf8');
      if (text.length > mostBytes || text.length / text.split('\n').length > 200) continue;
      // A folder of packages is not read at all.
      const path = source.replaceAll('node_modules', 'packages').replaceAll('\\', '/');
      await mkdir(dirname(join(to, path)), { recursive: true });
      await cp(source, join(to, path));
      lines += text.split('\n').length;
      paths.push(path);
    }
  }
  return { lines, paths };
}

/** Null where only the process itself knows it. */
function peakMemory(pid: number | undefined): number | null {
  try {
    const found = /^VmHWM:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1000;
  } catch {
    return null;
  }
}
