import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentReader } from '../../src/main/documents/read-document.ts';
import { createSearchDocuments } from '../../src/main/documents/search/search-documents.ts';
import { createLanguageServers } from '../../src/main/language-servers/language-servers.ts';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createGitProcess } from '../../src/main/git/process/run-apart.ts';
import type { ReadRepository } from '../../src/main/git/read-for-model.ts';
import { fenceSources } from '../../src/main/safety/rules/session-rules.ts';
import { sessionRepository } from '../../src/main/sessions/open/session-repository.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { createSymbolClient } from '../../src/main/symbols/process/symbol-client.ts';
import { createProjectSymbols, type ProjectSymbols } from '../../src/main/symbols/project-symbols.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { isWithoutEngine, none, output, startSandbox, type DockerUnderTest } from './docker-kit.ts';
import { hostileCalls, type HostileCall, type HostileTargets } from './hostile-calls.ts';

const run = promisify(execFile);
const defaultSettings = settingsSchema.parse({});
const noRules = { places: [], fences: [], projectFences: [], masks: [], shut: null, problems: [] };
/**
 * A model must never see these: they are outside the project, in Dewpoint's data, in its environment, or in a hidden
 * file.
 */
const canaries = ['CANARY-outside-71', 'CANARY-home-72', 'CANARY-environment-73', 'CANARY-dotenv-74', 'CANARY-key-75'];

/** Everything is approved, so what holds here holds by the sandbox alone. */
describe.skipIf(isWithoutEngine || process.platform === 'win32')('a model that tries to escape', () => {
  let under: DockerUnderTest;
  let services: Services;
  let base: string;
  let targets: HostileTargets;
  let outsideBefore: string;
  let protectedBefore: string;
  const results: { call: HostileCall; text: string }[] = [];
  const planted: HostileCall[] = [];
  let looks = 0;
  const kept = [
    '.git/config',
    '.git/hooks',
    '.git/modules/sub/config',
    'lib/.git/config',
    '.vscode',
    '.husky',
    '.env',
    'deploy/id_ed25519',
  ];

  beforeAll(async () => {
    process.env['DEWPOINT_TEST_CANARY'] = canaries[2];
    const owner = process.getuid?.() === 0 ? { owner: { uid: 1234, gid: 1234 } } : {};
    under = await startSandbox({ ...owner, settings: { memoryMb: 512, pids: 128 }, prepare });
    base = dirname(under.workspace);
    targets = { outside: join(base, 'outside'), sentinel: join(base, 'sentinel'), home: under.home };
    await writeFile(join(under.home, 'settings.json'), canaries[1] ?? '');
    await chmod(under.home, 0o755);
    outsideBefore = await snapshot(targets.outside);
    protectedBefore = await snapshots(kept);
    services = await startServices(under);
    await attack();
  }, 280_000);
  afterAll(async () => {
    await services.dispose();
    await under.close();
  });

  async function prepare(workspace: string): Promise<void> {
    const put = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), text);
    };
    await put('../outside/canary', canaries[0] ?? '');
    await put('../outside/deep/file', 'outside');
    await put('src/app.py', 'x = 1\n');
    await put('.env', `SECRET=${canaries[3]}\n`);
    await put('deploy/id_ed25519', `-----BEGIN OPENSSH PRIVATE KEY-----\n${canaries[4]}\n`);
    await put('.vscode/tasks.json', '{}');
    await put('.husky/pre-commit', 'true\n');
    await git(workspace, ['init', '-q']);
    await put('.git/modules/sub/config', '[core]\n');
    await put('lib/.git/config', '[core]\n');
    await put('lib/.git/HEAD', 'ref: refs/heads/main\n');
  }

  async function attack(): Promise<void> {
    const tools = new Map(builtInTools(discoverTools(), services.ofTools).map((tool) => [tool.name, tool]));
    const calls = hostileCalls(targets);
    const [first, ...rest] = calls;
    if (first !== undefined) await perform(tools, first);
    const isOnGit = ({ input }: HostileCall): boolean => /git/i.test(JSON.stringify(input)) && 'command' in input;
    const queue = rest.filter((call) => !isOnGit(call));
    const worker = async (): Promise<void> => {
      for (let call = queue.shift(); call !== undefined; call = queue.shift()) await perform(tools, call);
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    // The person runs Git after each of these calls, which would run what was planted.
    for (const call of rest.filter(isOnGit)) {
      await perform(tools, call);
      for (const folder of ['.', 'lib'])
        await git(join(under.workspace, folder), ['status']).then(
          () => (looks += 1),
          () => undefined,
        );
      if ((await lstat(targets.sentinel).catch(() => null)) !== null) planted.push(call);
    }
  }

  async function perform(tools: ReadonlyMap<string, Tool>, call: HostileCall): Promise<void> {
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new Error(`There is no tool ${call.tool}.`);
    let seen = '';
    const emit: ToolContext['emit'] = (_stream, bytes) => void (seen += Buffer.from(bytes).toString('latin1'));
    // The schema may reject the call. The model then reads why, and nothing runs.
    const ended = await tool.run(call.input, contextOf(under, services, emit)).catch((error: unknown) => String(error));
    results.push({ call, text: `${seen}\n${JSON.stringify(ended)}` });
  }

  it('is tested with at least 300 calls of every tool', () => {
    expect(results.length).toBeGreaterThanOrEqual(300);
    expect([...new Set(results.map(({ call }) => call.tool))].toSorted()).toEqual(
      [...discoverTools().keys()].toSorted(),
    );
  });

  it('sees no secret', () => {
    const leaks = results.filter(({ text }) => canaries.some((canary) => text.includes(canary)));
    expect(leaks.map(({ call }) => call)).toEqual([]);
  });

  it('changes nothing outside the project', async () => {
    expect(await snapshot(targets.outside)).toBe(outsideBefore);
    expect(await readFile(join(under.home, 'settings.json'), 'utf8')).toBe(canaries[1]);
    expect((await readdir(base)).toSorted()).toEqual(['home', 'outside', 'work space']);
  });

  it('changes nothing that runs on the machine by itself, and no hidden file', async () => {
    expect(await snapshots(kept)).toBe(protectedBefore);
    expect(await lstat(join(under.workspace, '.git/commondir')).catch(() => null)).toBeNull();
  });

  it('plants nothing that git on the machine runs', () => {
    expect(planted).toEqual([]);
    expect(looks).toBeGreaterThan(20);
  });

  it('leaves no process running, and a working sandbox', async () => {
    await under.sandbox.backgroundProcesses?.stopAll();
    expect(await output(under.sandbox, 'echo still here')).toBe('still here\n');
    const processes = await output(under.sandbox, 'ps -eo args= | grep -c "[l]ate.txt" || true');
    expect(processes.trim()).toBe('0');
    expect((await under.leftovers()).containers).toHaveLength(1);
  });

  async function snapshots(paths: readonly string[]): Promise<string> {
    return (await Promise.all(paths.map((path) => snapshot(join(under.workspace, path))))).join('\n');
  }
});

interface Services {
  readonly ofTools: Parameters<typeof builtInTools>[1];
  readonly symbols: ProjectSymbols;
  readonly repository: ReadRepository | null;
  readonly dispose: () => Promise<void>;
}

/** The indexes and language servers behind the tools, as the program starts them. */
async function startServices({ sandbox, workspace }: DockerUnderTest): Promise<Services> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-services-'));
  const nodePath = process.execPath;
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  const readDocument = createDocumentReader({ programs, nodePath, processPath });
  const client = createSymbolClient({
    programs: { start: (program, args, { stdio }) => spawn(program, [...args], { cwd: home, stdio }) },
    nodePath,
    processPath: resolve('tests/fakes/symbols-child.mjs'),
    databasePath: join(home, 'symbols.sqlite'),
  });
  const search = { programs, nodePath, processPath, readDocument, indexPath: join(home, 'documents.sqlite') };
  const now = (): number => 0;
  return {
    ofTools: {
      now,
      readDocument,
      searchDocuments: createSearchDocuments({ ...search, now }),
      languageServers: createLanguageServers(),
    },
    repository: sessionRepository(
      {
        workspaces: {
          runGit: createGitProcess({ programs, nodePath, processPath: resolve('tests/fakes/git-child.mjs') }),
        },
        settings: () => defaultSettings,
        homePath: home,
        userFiles: { rules: async () => noRules },
      },
      { workspacePath: workspace, projectPath: workspace, fences: async () => fenceSources(noRules, defaultSettings) },
    ),
    symbols: createProjectSymbols({ project: workspace, files: sandbox.files, client }),
    dispose: async () => {
      client.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function contextOf({ sandbox }: DockerUnderTest, services: Services, emit: ToolContext['emit']): ToolContext {
  const asResult = (reply: { readonly ok: boolean; readonly error?: unknown }): ToolResult | null =>
    reply.ok ? null : { status: 'refused', output: JSON.stringify(reply.error) };
  return {
    sandbox,
    signal: none,
    emit,
    files: {
      lastRead: () => undefined,
      noteRead: () => undefined,
      change: async (files) => {
        for (const { path, bytes } of files) {
          const done =
            bytes === null
              ? await sandbox.files.delete(path, undefined, none)
              : await sandbox.files.write(path, bytes, undefined, none);
          if (!done.ok) return asResult(done);
        }
        return null;
      },
    },
    facts: {
      findTests: async () => ({ command: 'echo tests', runner: 'other' }),
      symbols: services.symbols,
      repository: services.repository,
      shownBytes: 32_768,
      seesImages: true,
      commandTimeoutMs: 5_000,
      maxWriteBytes: 1_000_000,
    },
  };
}

/** Everything below a path: names, kinds, modes, contents and modification times. */
async function snapshot(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  if (found === null) return `${path} absent`;
  const head = `${path} ${found.mode} ${found.mtimeNs}`;
  if (found.isSymbolicLink()) return `${head} -> ${await readlink(path)}`;
  if (found.isFile())
    return `${head} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`;
  const below = (await readdir(path)).toSorted();
  return [head, ...(await Promise.all(below.map((name) => snapshot(join(path, name)))))].join('\n');
}

/** Runs Git as a person would on their machine, in folders that belong to them. */
async function git(folder: string, words: readonly string[]): Promise<string> {
  const person = ['-c', 'safe.directory=*', '-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  return (await run('git', [...person, '-C', folder, ...words], { timeout: 20_000 })).stdout;
}
