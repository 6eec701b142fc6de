import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { ExecResult, ListEntry } from '../../../../src/main/sandbox/sandbox.ts';
import type {
  Answer,
  Question,
  RecipeContext,
  RecipeSettings,
  WorldCommand,
} from '../../../../src/main/recipes/define.ts';
import type { TestRunner } from '../../../../src/main/projects/facts/project-facts.ts';

/** A recipe's world over a folder of this machine: real shell, real test runners, a scripted model. */
export interface RecipeHarness {
  readonly context: RecipeContext;
  readonly questions: readonly Question[];
  readonly progress: readonly string[];
  /** The events for programs, phase by phase. */
  readonly told: readonly { readonly phase: string; readonly data: unknown }[];
  readonly labels: readonly string[];
  text(path: string): Promise<string>;
  dispose(): Promise<void>;
}

export interface HarnessOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly task: string;
  readonly command: string | null;
  readonly runner?: TestRunner;
  readonly checkPasses?: boolean | null;
  readonly mode?: RecipeContext['mode'];
  readonly earlier?: RecipeContext['earlier'];
  readonly before?: RecipeContext['before'];
  /** What a search of the documents finds. */
  readonly documents?: Awaited<ReturnType<RecipeContext['world']['documents']>>;
  /** The index of names. Absent: the project has too few. */
  readonly symbols?: RecipeContext['world']['symbols'];
  /** The new errors that a language server finds. Absent: there is no server. */
  readonly newErrors?: (files: readonly { readonly path: string; readonly text: string }[]) => number | null;
  readonly settings?: Partial<RecipeSettings>;
  /** The time of each answer. Absent: no time. */
  readonly answerSeconds?: number;
  /** The model's answer to a question. Null: it cannot answer. */
  readonly answer?: (question: Question) => string | null;
}

const defaults: RecipeSettings = {
  mechanicalChanges: true,
  agreement: true,
  locate: { coverage: true },
  seed: 1,
};

export const isTestFile = (path: string): boolean => /(^|\/)tests?\/|(^|\/)test_|\.test\.[mc]?js$/.test(path);

export async function makeHarness(options: HarnessOptions): Promise<RecipeHarness> {
  const root = await mkdtemp(join(tmpdir(), 'dewpoint-recipe-'));
  const workspace = join(root, 'workspace');
  const scratch = join(root, 'scratch');
  await mkdir(scratch, { recursive: true });
  for (const [path, text] of Object.entries(options.files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const questions: Question[] = [];
  const progress: string[] = [];
  const told: { readonly phase: string; readonly data: unknown }[] = [];
  const labels: string[] = [];
  const paths = Object.keys(options.files);
  const code = paths.filter((path) => /\.(py|[mc]?js)$/.test(path));
  const text = (path: string): Promise<string> => readFile(join(workspace, path), 'utf8');
  const context: RecipeContext = {
    task: options.task,
    mode: options.mode ?? null,
    earlier: options.earlier ?? [],
    before: options.before ?? null,
    canExecute: true,
    check: options.command === null ? null : { command: options.command, source: 'project' },
    checkPasses: options.checkPasses ?? (options.command === null ? null : false),
    facts: {
      languages: [],
      fileCount: paths.length,
      sourceFiles: code.filter((path) => !isTestFile(path)),
      testFiles: code.filter(isTestFile),
      test:
        options.command === null
          ? null
          : { command: options.command, runner: options.runner ?? 'node-test', source: 'test' },
      instructionFiles: [],
      git: false,
      truncated: false,
    },
    model: {
      info: {
        id: 'scripted/model',
        provider: 'scripted',
        name: 'model',
        label: 'Scripted',
        where: 'local',
        contextTokens: 4096,
        parametersB: 1.5,
        capabilities: {
          tools: false,
          grammar: true,
          prefill: true,
          infill: false,
          countTokens: true,
        },
        price: null,
        strategies: ['recipe'],
      },
      loop: {
        request: () => {
          throw new Error('no call is scripted');
        },
        callsIn: () => [],
        opening: () => '',
        isSmall: () => true,
      },
      call: () => Promise.resolve({ ok: false, message: 'no call is scripted' }),
      ask: (question): Promise<Answer> => {
        questions.push(question);
        const said = options.answer?.(question) ?? null;
        if (said === null) return Promise.resolve({ ok: false, message: 'no answer is scripted', fatal: false });
        return Promise.resolve({
          ok: true,
          text: said,
          complete: true,
        });
      },
      countTokens: (given) => Promise.resolve(Math.ceil(given.length / 4)),
    },
    signal: new AbortController().signal,
    settings: { ...defaults, ...options.settings },
    budget: {
      stepsLeft: () => 40 - questions.length,
      millisecondsLeft: () => 600_000 - questions.length * (options.answerSeconds ?? 0) * 1000,
      tokensLeft: () => 100_000,
    },
    progress: (phase, said, data) => {
      progress.push(`${phase}: ${said}`);
      if (data !== undefined) told.push({ phase, data });
      return Promise.resolve();
    },
    world: {
      workspacePath: workspace,
      scratchPath: scratch,
      symbols: options.symbols ?? null,
      newErrors: async (files) => options.newErrors?.(files) ?? null,
      list: () => listFiles(workspace),
      bytesOf: (_path, text) => Buffer.from(text),
      read: (path) => text(path).catch(() => null),
      search: async (query) => {
        const matches: { path: string; line: number; text: string }[] = [];
        for (const path of paths) {
          for (const [index, line] of (await text(path)).split('\n').entries()) {
            if (line.includes(query.pattern)) matches.push({ path, line: index + 1, text: line });
          }
        }
        return { matches, truncated: false };
      },
      documents: async () => options.documents ?? [],
      run: (command) => {
        labels.push(command.label);
        return shell(command, workspace);
      },
      apply: async (files) => {
        // New test files may be added, as in a real workspace.
        if (files.some(({ path }) => isTestFile(path) && paths.includes(path))) return 'Test files are guarded.';
        for (const file of files) {
          await mkdir(dirname(join(workspace, file.path)), { recursive: true });
          await writeFile(join(workspace, file.path), file.text);
        }
        return null;
      },
    },
  };
  return {
    context,
    questions,
    progress,
    told,
    labels,
    text,
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

async function listFiles(root: string, folder = root): Promise<readonly ListEntry[]> {
  const found: ListEntry[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const info = await stat(path);
    found.push({ path: relative(root, path), kind: info.isDirectory() ? 'folder' : 'file', sizeBytes: info.size });
    if (info.isDirectory()) found.push(...(await listFiles(root, path)));
  }
  return found;
}

function shell(command: WorldCommand, workspace: string): Promise<ExecResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...command.env };
    // A test runner inside another one must not report to it.
    delete env.NODE_TEST_CONTEXT;
    const child = spawn('bash', ['-c', command.command], {
      cwd: command.cwd ?? workspace,
      env,
      timeout: command.timeoutMs,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    // A command that reads no input may end before the input is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(command.stdin ?? '');
    child.on('close', (exitCode) => {
      const sizes = { stdoutBytes: stdout.length, stderrBytes: stderr.length, durationMs: 1 };
      resolve({ outcome: 'exited', exitCode, stdout, stderr, ...sizes });
    });
  });
}
