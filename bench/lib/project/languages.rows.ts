import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageOf, valueOf } from '../../../src/shared/errors.ts';
import { isRecord } from '../../../src/shared/unknown-value.ts';
import { settingsSchema, type Settings } from '../../../src/shared/settings/settings.ts';
import { parseTestOutput } from '../../../src/main/lib/test-output/parse-test-output.ts';
import { withReport } from '../../../src/main/lib/test-output/reporting-command.ts';
import { gatherFacts } from '../../../src/main/projects/facts/gather-project-facts.ts';
import { createProjectImages } from '../../../src/main/sandbox/images/project-images.ts';
import { createPackagePreparations } from '../../../src/main/sandbox/packages/package-preparations.ts';
import { createSandboxFactory } from '../../../src/main/sandbox/sandbox-factory.ts';
import { testPrograms } from '../../../tests/fakes/test-programs.ts';
import type { BenchRow } from '../rows.ts';

const projectSchema = z.strictObject({
  language: z.string(),
  name: z.string(),
  /** A command that puts the published project into the current folder, with an ordinary client of its registry. */
  get: z.string(),
});
type Project = z.infer<typeof projectSchema>;

interface Outcome {
  readonly project: Project;
  readonly command: string | null;
  readonly passed: number;
  /** Null: the tests were found, ran without a network and passed, and their results were read. */
  readonly problem: string | null;
}

const languages = ['Python', 'JavaScript', 'Go', 'Rust', 'Java', 'C', 'C#', 'Ruby', 'PHP'] as const;
/** Measured by `bench -- sandbox`, with projects of their own. */
const measuredElsewhere: readonly string[] = ['Python', 'JavaScript'];
const unmeasured: Readonly<Record<string, string>> = {
  'C#': 'its toolchain, .NET, is in no package of Debian',
};
/** Fetches the source of a package, also where this machine names only the places of its binary packages. */
const debianSource = `debian_source() {
  apt=../apt && mkdir -p "$apt/lists/partial" || return
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1)
  . /etc/os-release
  echo "deb-src $mirror $VERSION_CODENAME main" > "$apt/sources.list"
  own="-o Dir::Etc::SourceList=$PWD/$apt/sources.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$PWD/$apt/lists"
  apt-get $own update -qq && apt-get $own source -qq --tar-only "$1" && tar -xf *.orig.tar.* --strip-components=1 && rm -f *.orig.tar.*
}`;
const perLanguage = 2;
const testMs = 10 * 60_000;
const root = process.cwd();
const run = promisify(execFile);

/**
 * Published projects in other languages than Python and JavaScript: the image with their toolchain is made, their
 * packages are prepared, and their tests run in a session without a network and are read.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const list = z
    .array(projectSchema)
    .parse(JSON.parse(await readFile(join(root, 'bench', 'data', 'language-projects.json'), 'utf8')));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-languages-')));
  const outcomes: Outcome[] = [];
  try {
    for (const project of list) {
      const outcome = await tryProject(project, { folder, signal });
      console.error(
        `${project.language}: ${project.name}: ${outcome.problem ?? `${outcome.passed} tests pass`} (${outcome.command ?? 'no command'})`,
      );
      outcomes.push(outcome);
    }
  } finally {
    // The cache of Go is read-only.
    await run('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true, force: true });
  }
  return rowsOf(outcomes);
}

function rowsOf(outcomes: readonly Outcome[]): readonly BenchRow[] {
  const rows = languages
    .filter((language) => !measuredElsewhere.includes(language))
    .map((language): BenchRow => {
      const all = outcomes.filter(({ project }) => project.language === language);
      const good = all.filter(({ problem }) => problem === null);
      const said = all.map(({ project, problem, passed }) => `${project.name}: ${problem ?? `${passed} tests`}`);
      return {
        figure: `${language}: projects whose tests are found, run offline inside and read`,
        value: all.length === 0 ? null : good.length,
        unit: '',
        target: { atLeast: perLanguage },
        note: all.length === 0 ? (unmeasured[language] ?? 'no project is in the list') : said.join('; '),
      };
    });
  return rows;
}

interface Work {
  /** Everything is made in it. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function tryProject(project: Project, { folder, signal }: Work): Promise<Outcome> {
  const place = await mkdtemp(join(folder, 'project-'));
  const path = join(place, 'project');
  try {
    await mkdir(path);
    await run('bash', ['-c', `set -o pipefail; ${debianSource}\n${project.get}`], { cwd: path, maxBuffer: 2 ** 26 });
    await run('chmod', ['-R', 'u+w', path]);
    await chmod(place, 0o755);
    return await prepareAndTest(project, path, { folder, signal });
  } catch (error) {
    signal.throwIfAborted();
    const printed = isRecord(error) && typeof error['stderr'] === 'string' ? error['stderr'] : messageOf(error);
    return { project, command: null, passed: 0, problem: printed.slice(-600) };
  }
}

async function prepareAndTest(project: Project, path: string, { folder, signal }: Work): Promise<Outcome> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  let settings = settingsSchema.parse({}).sandbox;
  const deps = depsOf(home, () => settings);
  const images = createProjectImages({
    ...deps,
    saveProjects: async (projects: Settings['sandbox']['projects']) => {
      settings = { ...settings, projects };
    },
  });
  const image = await images.ofProject(path);
  if (image?.toolchains !== undefined) {
    const { approval } = image;
    await images.bring({ type: 'project', projectPath: path, approval }, () => undefined, signal);
  }
  const preparations = createPackagePreparations(deps);
  try {
    const { approval } = valueOf(await preparations.plan({ projectPath: path, hosts: [] }, signal));
    const request = { projectPath: path, hosts: [], approval, onProgress: () => undefined };
    const made = valueOf(await preparations.prepare(request, signal));
    // Where a registry cannot be reached, tests may still find what they need in the image.
    const failed = made.parts.find(({ state }) => state !== 'ready');
    const outcome = await test(project, path, { deps, signal });
    if (failed === undefined || outcome.problem === null) return outcome;
    return { ...outcome, problem: `${failed.reason?.slice(0, 600) ?? failed.state} ${outcome.problem}` };
  } finally {
    await preparations.remove(path, new AbortController().signal);
  }
}

async function test(
  project: Project,
  workspacePath: string,
  { deps, signal }: { readonly deps: Deps; readonly signal: AbortSignal },
): Promise<Outcome> {
  const request = { sessionId: 'bench', workspacePath, settings: deps.settings(), wanted: 'container' } as const;
  const quiet = { onLost: () => undefined, onProgress: () => undefined };
  const sandbox = valueOf(await createSandboxFactory(deps)({ ...request, needsExecute: true, ...quiet }, signal));
  try {
    const { test: found } = await gatherFacts(sandbox.files, signal);
    if (found === null) return { project, command: null, passed: 0, problem: 'no tests were found' };
    const command = withReport(found.command);
    const ran = valueOf(await sandbox.exec({ command, timeoutMs: testMs, keepBytes: 4 * 1024 * 1024 }, signal));
    const output = `${ran.stdout}\n${ran.stderr}`;
    const { counts, failures, parsed } = parseTestOutput(output, [sandbox.workspacePath]);
    const passed = counts?.passed ?? 0;
    const first = failures[0] === undefined ? output.slice(-400) : `${failures[0].id}: ${failures[0].message}`;
    const isGood = ran.exitCode === 0 && parsed && passed > 0 && failures.length === 0;
    const problem = isGood ? null : `exit code ${ran.exitCode ?? 'none'}, ${failures.length} failed: ${first}`;
    return { project, command: found.command, passed, problem };
  } finally {
    await sandbox.dispose();
  }
}

type Deps = Parameters<typeof createPackagePreparations>[0];

function depsOf(homePath: string, settings: () => Settings['sandbox']): Deps {
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
    settings,
    learn: () => undefined,
    saveProjects: async () => undefined,
    onNotice: (text) => console.error(text),
  };
}
