import { cp, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, valueOf } from '../../src/shared/errors.ts';
import { settingsSchema, type Settings } from '../../src/shared/settings/settings.ts';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';
import { createPackagePreparations } from '../../src/main/sandbox/packages/package-preparations.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { fetchPlanted } from './planted.ts';
import type { BenchRow } from './rows.ts';
import { median } from './statistics.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';

const projectSchema = z.strictObject({
  ecosystem: z.enum(['pypi', 'npm']),
  package: z.string(),
  version: z.string(),
  sha256: z.string(),
  /** The project's own tests, without its linters. */
  test: z.string(),
  /** Files with made-up secrets that the tests read, unmasked as a user would. */
  unmask: z.array(z.string()).default([]),
});
type Project = z.infer<typeof projectSchema>;

interface Outcome {
  readonly project: Project;
  /** Null if everything went well. */
  readonly problem: string | null;
  readonly prepareSeconds: number;
  /** The seconds that packages add to the start of a session. */
  readonly addedSeconds: number | null;
}

const none = new AbortController().signal;
const testMs = 5 * 60_000;
const root = process.cwd();

/**
 * Runs the tests of `count` published projects. Each is unpacked as published, and its packages are installed from this
 * machine's configured indexes. The tests run in a second session, without a network.
 */
export async function prepareProjects(count: number): Promise<readonly BenchRow[]> {
  const list = JSON.parse(await readFile(join(root, 'bench', 'data', 'prepare-projects.json'), 'utf8'));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-prepare-bench-')));
  const outcomes: Outcome[] = [];
  try {
    for (const project of inTurn(z.array(projectSchema).parse(list)).slice(0, count)) {
      const outcome = await tryProject(project, folder);
      const { prepareSeconds, addedSeconds, problem } = outcome;
      const times = `installed in ${prepareSeconds.toFixed(1)} s, adds ${addedSeconds?.toFixed(2) ?? '?'} s to a session`;
      console.error(`${project.package} ${project.version}: ${problem ?? 'its tests pass'}; ${times}`);
      outcomes.push(outcome);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rowsOf(outcomes);
}

/** Alternates between the ecosystems, so that a small number covers both. */
function inTurn(projects: readonly Project[]): readonly Project[] {
  const [python, javascript] = [
    projects.filter(({ ecosystem }) => ecosystem === 'pypi'),
    projects.filter(({ ecosystem }) => ecosystem === 'npm'),
  ];
  return projects.flatMap((_project, at) => [...python.slice(at, at + 1), ...javascript.slice(at, at + 1)]);
}

function rowsOf(outcomes: readonly Outcome[]): readonly BenchRow[] {
  const good = outcomes.filter(({ problem }) => problem === null);
  const added = outcomes.flatMap(({ addedSeconds }) => addedSeconds ?? []);
  const bad = outcomes.filter(({ problem }) => problem !== null).map(({ project }) => project.package);
  return [
    {
      figure: 'projects prepared, own tests pass inside',
      value: good.length,
      unit: '',
      target: { atLeast: Math.ceil(outcomes.length * 0.9) },
      note: `of ${outcomes.length}${bad.length === 0 ? '' : `; not: ${bad.join(', ')}`}`,
    },
    {
      figure: 'added to the start of a second session',
      value: added.length === 0 ? null : median(added),
      unit: 's',
      target: { atMost: 1 },
      note: `median of ${added.length}, most ${Math.max(...added).toFixed(2)} s`,
    },
    {
      figure: 'installing, median',
      value: median(outcomes.map(({ prepareSeconds }) => prepareSeconds)),
      unit: 's',
      target: null,
    },
  ];
}

async function tryProject(project: Project, folder: string): Promise<Outcome> {
  const path = join(folder, project.package);
  const home = join(folder, 'home');
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    await mkdir(home, { recursive: true });
    const { cache } = findDataFolders(process.env, process.platform);
    const { ecosystem, package: name, version, sha256 } = project;
    const source = { id: `planted-${name}`, source: { ecosystem, package: name, version, sha256 } };
    await cp(await fetchPlanted(source, join(cache, 'bench'), none), path, { recursive: true });
    return await prepareAndTest(project, path, home);
  } catch (error) {
    return { project, problem: messageOf(error).slice(0, 400), prepareSeconds: seconds(), addedSeconds: null };
  }
}

async function prepareAndTest(project: Project, path: string, home: string): Promise<Outcome> {
  const settings = { ...settingsSchema.parse({}).sandbox, unmask: project.unmask };
  const deps = depsOf(home, settings);
  const preparations = createPackagePreparations(deps);
  const { approval } = valueOf(await preparations.plan({ projectPath: path, hosts: [] }, none));
  const started = performance.now();
  const request = { projectPath: path, hosts: [], approval, onProgress: () => undefined };
  const made = valueOf(await preparations.prepare(request, none));
  const prepareSeconds = (performance.now() - started) / 1000;
  const failed = made.parts.find(({ state }) => state !== 'ready');
  try {
    if (failed !== undefined)
      return { project, problem: failed.reason?.slice(0, 400) ?? failed.state, prepareSeconds, addedSeconds: null };
    // Alternates between sessions with and without packages. The one without uses a home that knows no packages.
    const plain: number[] = [];
    const withPackages: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      plain.push((await startTimed(depsOf(`${home}-plain`, settings), path, null)).seconds);
      withPackages.push((await startTimed(deps, path, null)).seconds);
    }
    const { problem } = await startTimed(deps, path, project.test);
    return { project, problem, prepareSeconds, addedSeconds: (median(withPackages) ?? 0) - (median(plain) ?? 0) };
  } finally {
    await preparations.clean({ remove: 'all' }, none);
  }
}

type Deps = Parameters<typeof createPackagePreparations>[0];

function depsOf(homePath: string, settings: Settings['sandbox']): Deps {
  return {
    homePath,
    resourcesPath: join(root, 'resources'),
    imageScript: {
      node: process.execPath,
      path: join(root, 'scripts', 'setup', 'sandbox-image.mjs'),
      programs: testPrograms(),
    },
    env: process.env,
    connection: () => ({ proxy: null, certificates: null }),
    masks: async () => [],
    settings: () => settings,
    learn: () => undefined,
    saveProjects: async () => undefined,
    onNotice: (text) => console.error(text),
  };
}

/** The seconds that a session takes to start, and why its tests did not pass. */
async function startTimed(
  deps: Deps,
  workspacePath: string,
  test: string | null,
): Promise<{ readonly seconds: number; readonly problem: string | null }> {
  const started = performance.now();
  const request = { sessionId: 'bench', workspacePath, settings: deps.settings(), wanted: 'container' } as const;
  const quiet = { onLost: () => undefined, onProgress: () => undefined };
  const sandbox = valueOf(await createSandboxFactory(deps)({ ...request, needsExecute: true, ...quiet }, none));
  const seconds = (performance.now() - started) / 1000;
  try {
    return { seconds, problem: test === null ? null : await problemOf(sandbox, test) };
  } finally {
    await sandbox.dispose();
  }
}

async function problemOf(sandbox: Sandbox, command: string): Promise<string | null> {
  const { outcome, exitCode, stdout, stderr } = valueOf(await sandbox.exec({ command, timeoutMs: testMs }, none));
  const end = `${stdout}\n${stderr}`.trim().slice(-400);
  console.error(`  ${end.split('\n').slice(-3).join(' | ')}`);
  return outcome === 'exited' && exitCode === 0 ? null : `${outcome} ${exitCode ?? ''}: ${end}`;
}
