import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import type { Language, ProjectFacts, TestRunner } from './project-facts.ts';
import { readText } from './read-project-text.ts';

type Test = NonNullable<ProjectFacts['test']>;

/** One folder of the project, with the names of its files relative to it. */
interface Folder {
  /** Empty: the top. */
  readonly path: string;
  readonly files: readonly string[];
  /** Null: the file is missing or cannot be read. */
  readonly read: (name: string) => Promise<string | null>;
}

interface Way {
  readonly runner: TestRunner;
  readonly languages: readonly Language[];
  /** Null: the folder is not of this kind, or has no tests. */
  readonly find: (folder: Folder) => Promise<Pick<Test, 'command' | 'source'> | null>;
}

const has = ({ files }: Folder, pattern: RegExp): boolean => files.some((file) => pattern.test(file));
const named = ({ files }: Folder, ...names: readonly string[]): string | null =>
  names.find((name) => files.includes(name)) ?? null;

const javaTests = /(?:^|\/)src\/(?:test|integrationTest)\/|Tests?\.(?:java|kt|groovy)$/u;
/** Where CMake builds: beside the project, so that nothing of it is among the project's changes. */
const buildFolder = '"/tmp/build$(pwd)"';

/** Every kind of project whose tests can be run, by the file that declares it. The first that fits a folder is used. */
const ways: readonly Way[] = [
  {
    runner: 'go',
    languages: ['go'],
    find: async (folder) => {
      const source = named(folder, 'go.work', 'go.mod');
      if (source === null || !has(folder, /_test\.go$/u)) return null;
      // In a workspace, `./...` is only the modules below the folder that are no modules of their own.
      return { command: source === 'go.mod' ? 'go test ./...' : `go test $(go list -m -f '{{.Dir}}/...')`, source };
    },
  },
  {
    runner: 'cargo',
    languages: ['rust'],
    find: async (folder) => {
      const text = await folder.read('Cargo.toml');
      if (text === null) return null;
      const members = /^\[workspace\]/mu.test(text) ? ' --workspace' : '';
      return { command: `cargo test${members} --no-fail-fast`, source: 'Cargo.toml' };
    },
  },
  {
    runner: 'maven',
    languages: ['java'],
    find: async (folder) =>
      named(folder, 'pom.xml') === null || !has(folder, javaTests)
        ? null
        : { command: 'mvn -B -o test', source: 'pom.xml' },
  },
  {
    runner: 'gradle',
    languages: ['java'],
    find: async (folder) => {
      const source = named(folder, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts');
      if (source === null || !has(folder, javaTests)) return null;
      // The wrapper downloads its Gradle, which it cannot do in the sandbox.
      const program = named(folder, 'gradlew') === null ? 'gradle' : '$(command -v gradle || echo ./gradlew)';
      return { command: `${program} --offline --console=plain test`, source };
    },
  },
  {
    runner: 'ctest',
    languages: ['c', 'cpp'],
    find: async (folder) => {
      const text = await folder.read('CMakeLists.txt');
      if (text === null || !(await enablesTests(folder, text))) return null;
      const build = `cmake -S . -B ${buildFolder} && cmake --build ${buildFolder} -j 2`;
      return { command: `${build} && ctest --test-dir ${buildFolder} --output-on-failure`, source: 'CMakeLists.txt' };
    },
  },
  {
    runner: 'dotnet',
    languages: ['csharp'],
    find: async (folder) => {
      const source = folder.files.find((name) => /^[^/]+\.slnx?$/u.test(name)) ?? (await testProject(folder));
      return source === null ? null : { command: 'dotnet test', source };
    },
  },
  { runner: 'rspec', languages: ['ruby'], find: findRuby },
  {
    runner: 'rake',
    languages: ['ruby'],
    find: async (folder) => {
      const text = await folder.read('Rakefile');
      return text === null || !/\bTestTask\b|^ *task\b.{1,4}test\b/mu.test(text)
        ? null
        : { command: withBundle(folder, 'rake test'), source: 'Rakefile' };
    },
  },
  { runner: 'phpunit', languages: ['php'], find: findPhp },
  {
    runner: 'make',
    languages: ['c', 'cpp'],
    find: async (folder) => {
      const source = named(folder, 'GNUmakefile', 'makefile', 'Makefile');
      const text = source === null ? null : await folder.read(source);
      const target = /^(test|check)\s*:(?!=)/mu.exec(text ?? '')?.[1];
      return source === null || target === undefined ? null : { command: `make ${target}`, source };
    },
  },
];

export interface OtherTest {
  readonly test: Test;
  readonly languages: readonly Language[];
}

/**
 * How tests are run in languages other than Python and JavaScript: by a file at the top, else in the only folder near
 * the top that has one. Null: no such file, or more than one folder with it.
 */
export async function findOtherTest(
  projectFiles: SandboxFiles,
  files: readonly string[],
  signal: AbortSignal,
): Promise<OtherTest | null> {
  const folderOf = (path: string): Folder => ({
    path,
    files:
      path === '' ? files : files.flatMap((file) => (file.startsWith(`${path}/`) ? [file.slice(path.length + 1)] : [])),
    read: async (name) => {
      const whole = path === '' ? name : `${path}/${name}`;
      return files.includes(whole) ? readText(projectFiles, whole, signal) : null;
    },
  });
  const top = await findIn(folderOf(''));
  if (top !== null) return top;
  const found: OtherTest[] = [];
  for (const path of candidates(files)) {
    const one = await findIn(folderOf(path));
    if (one !== null) found.push(one);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

async function findIn(folder: Folder): Promise<OtherTest | null> {
  for (const { runner, languages, find } of ways) {
    const found = await find(folder);
    if (found === null) continue;
    const { path } = folder;
    const command = path === '' ? found.command : `cd ${path} && ${found.command}`;
    return { test: { command, runner, source: path === '' ? found.source : `${path}/${found.source}` }, languages };
  }
  return null;
}

const manifests =
  /^(?:go\.(?:mod|work)|Cargo\.toml|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|CMakeLists\.txt|Gemfile|Rakefile|composer\.json|.*\.(?:sln|csproj))$/u;
const passedOver = /^(?:\..*|node_modules|vendor|third[_-]?party|examples?|samples?|docs?|testdata|fixtures?)$/iu;
const maxFolders = 20;

/** Folders at most two below the top that have a project file, none inside another. */
function candidates(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    const names = file.split('/');
    const name = names.pop() ?? '';
    if (names.length === 0 || names.length > 2 || !manifests.test(name)) continue;
    if (names.some((one) => passedOver.test(one) || !/^[\w.@+-]+$/u.test(one))) continue;
    folders.add(names.join('/'));
  }
  const sorted = [...folders].sort();
  return sorted.filter((one) => !sorted.some((other) => one.startsWith(`${other}/`))).slice(0, maxFolders);
}

/** Looks into the files for tests, too, because some projects enable tests only there. */
async function enablesTests(folder: Folder, text: string): Promise<boolean> {
  const enables = /\b(?:enable_testing|include)\s*\(\s*(?:CTest\s*)?\)/iu;
  if (enables.test(text)) return true;
  for (const name of ['test/CMakeLists.txt', 'tests/CMakeLists.txt'])
    if (/\badd_test\s*\(|\bgtest_discover_tests\s*\(/iu.test((await folder.read(name)) ?? '')) return true;
  return false;
}

async function testProject(folder: Folder): Promise<string | null> {
  for (const name of folder.files.filter((file) => file.endsWith('.csproj')).slice(0, 10))
    if (/Microsoft\.NET\.Test\.Sdk|<IsTestProject>true/u.test((await folder.read(name)) ?? '')) return name;
  return null;
}

/** Gems that are only in the image work without Bundler. */
function withBundle(folder: Folder, command: string): string {
  return named(folder, 'Gemfile') === null
    ? command
    : `$(bundle check > /dev/null 2>&1 && echo bundle exec) ${command}`;
}

async function findRuby(folder: Folder): Promise<Pick<Test, 'command' | 'source'> | null> {
  const spec = folder.files.find((name) => /^spec\/.*_spec\.rb$/u.test(name));
  return spec === undefined ? null : { command: withBundle(folder, 'rspec'), source: named(folder, '.rspec') ?? spec };
}

async function findPhp(folder: Folder): Promise<Pick<Test, 'command' | 'source'> | null> {
  const config = named(folder, 'phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml');
  const wants = /"phpunit\/phpunit"/u.test((await folder.read('composer.json')) ?? '');
  if (config === null && !wants) return null;
  if (config === null && !has(folder, /^tests?\/.*Test\.php$/u)) return null;
  // An image may have it without the project's own packages.
  const program = wants ? '$(test -x vendor/bin/phpunit && echo vendor/bin/)phpunit' : 'phpunit';
  const folderOf = config === null ? (has(folder, /^tests\//u) ? ' tests' : ' test') : '';
  return { command: `${program}${folderOf}`, source: config ?? 'composer.json' };
}
