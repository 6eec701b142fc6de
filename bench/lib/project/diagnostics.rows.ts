import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { valueOf } from '../../../src/shared/errors.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';
import { createLanguageServers } from '../../../src/main/language-servers/language-servers.ts';
import { createPackagePreparations } from '../../../src/main/sandbox/packages/package-preparations.ts';
import { createSandboxFactory } from '../../../src/main/sandbox/sandbox-factory.ts';
import type { Sandbox } from '../../../src/main/sandbox/sandbox.ts';
import { testPrograms } from '../../../tests/fakes/test-programs.ts';
import type { BenchRow } from '../rows.ts';
import { neverAborts } from '../../../src/main/lib/async/abort.ts';
import { seeded } from '../seeded.ts';
import { percentile } from '../statistics.ts';

const modules = 250;
const functions = 50;
const edits = 60;
const mostMs = 1_500;

/** Each file uses the next: 50,000 lines of each language. */
const next = (at: number): number => Math.min(at + 1, modules - 1);

const languages = {
  Python: {
    path: (at: number) => `python/module_${at}.py`,
    text: (at: number) =>
      [
        `from python import module_${next(at)} as other`,
        ...Array.from({ length: functions }, (_, one) =>
          [
            `def work_${at}_${one}(first: int, second: str) -> dict[str, int]:`,
            `    found = {second: first + ${one}, "same": len(second)}`,
            `    return found if first < ${at} else other.work_${next(at)}_${one}(first - 1, second)`,
            '',
          ].join('\n'),
        ),
      ].join('\n'),
    wrong: 'def work_wrong() -> int:\n    return "no number"\n',
  },
  TypeScript: {
    path: (at: number) => `web/module-${at}.ts`,
    text: (at: number) =>
      [
        `import * as other from './module-${next(at)}.ts';`,
        ...Array.from({ length: functions }, (_, one) =>
          [
            `export function work${at}x${one}(first: number, second: string): Record<string, number> {`,
            `  const found = { [second]: first + ${one}, same: second.length };`,
            `  return first < ${at} ? found : other.work${next(at)}x${one}(first - 1, second);`,
            '}',
          ].join('\n'),
        ),
      ].join('\n'),
    wrong: 'export const wrong: number = "no number";\n',
  },
} as const;

/** The time from an edit to its new errors, of real servers in a session's container that have answered before. */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-diagnostics-bench-')));
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  await mkdir(home);
  await writeProject(project);
  let settings = settingsSchema.parse({}).sandbox;
  const deps = {
    homePath: home,
    resourcesPath: 'resources',
    imageScript: { node: process.execPath, path: 'scripts/setup/sandbox-image.mjs', programs: testPrograms() },
    env: process.env,
    connection: () => ({ proxy: null, certificates: null }),
    masks: async () => [],
    settings: () => settings,
    learn: () => undefined,
    saveProjects: async (projects: typeof settings.projects) => void (settings = { ...settings, projects }),
    onNotice: () => undefined,
  };
  const preparations = createPackagePreparations(deps);
  try {
    const { approval } = valueOf(
      await preparations.plan({ projectPath: project, hosts: [], languageServers: true }, signal),
    );
    const request = {
      projectPath: project,
      hosts: [],
      languageServers: true,
      approval,
      onProgress: () => undefined,
    };
    valueOf(await preparations.prepare(request, signal));
    const sandbox = valueOf(
      await createSandboxFactory(deps)(
        {
          wanted: 'container',
          needsExecute: true,
          onLost: () => undefined,
          onProgress: () => undefined,
          sessionId: 'bench',
          workspacePath: project,
          settings,
        },
        signal,
      ),
    );
    try {
      const rows: BenchRow[] = [];
      for (const name of ['Python', 'TypeScript'] as const) rows.push(await timeLanguage(sandbox, name, signal));
      return rows;
    } finally {
      await sandbox.dispose();
    }
  } finally {
    await preparations.clean({ remove: 'all' }, neverAborts);
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeProject(folder: string): Promise<void> {
  const files = new Map([
    ['package.json', '{"name": "large", "devDependencies": {"typescript": "7.0.2"}}'],
    ['requirements.txt', 'six\n'],
    ['tsconfig.json', '{"compilerOptions": {"strict": true, "noEmit": true, "allowImportingTsExtensions": true}}'],
  ]);
  for (const { path, text } of Object.values(languages))
    for (let at = 0; at < modules; at += 1) files.set(path(at), text(at));
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function timeLanguage(sandbox: Sandbox, name: keyof typeof languages, signal: AbortSignal): Promise<BenchRow> {
  const { path: pathOf, text, wrong } = languages[name];
  const servers = createLanguageServers()(sandbox);
  await servers.namesFor([pathOf(0)], signal);
  const figure = `new errors after an edit, warm, ${name}, 95th percentile`;
  const random = seeded(1);
  const times: number[] = [];
  let lines = 0;
  const cold = performance.now();
  let coldMs = 0;
  for (let count = 0; count < edits;) {
    const at = Math.floor(random() * modules);
    const path = pathOf(at);
    const isWrong = count % 2 === 0;
    const edited = { path, before: text(at), after: `${text(at)}\n${isWrong ? wrong : ''}` };
    const begun = performance.now();
    const found = await servers.newErrors([edited], { limitMs: 10 * mostMs, signal });
    if (found.type === 'late' && coldMs === 0) {
      await wait(50);
      continue;
    }
    if (coldMs === 0) coldMs = performance.now() - cold;
    if (found.type !== 'found' || found.errors.length !== (isWrong ? 1 : 0))
      return {
        figure,
        value: null,
        unit: 'ms',
        target: { atMost: mostMs },
        note: `${JSON.stringify(found)} after an edit that was ${isWrong ? 'wrong' : 'right'}`,
      };
    times.push(performance.now() - begun);
    lines = modules * text(at).split('\n').length;
    count += 1;
  }
  const note = `${edits} edits, ${lines} lines; ready ${(coldMs / 1000).toFixed(1)} s after the start`;
  return { figure, value: percentile(times, 0.95), unit: 'ms', target: { atMost: mostMs }, note };
}
