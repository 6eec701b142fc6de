import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Catches: a change after which adding a command, provider, tool, rule or recipe needs one more edit than now. */
const root = resolve(import.meta.dirname, '../..');
const parts = ['src/main', 'src/shared'];
const handlersOf =
  "export function createSettingsCommands(settings: SettingsStore, checks: SettingChecks): Handlers['settings'] {\n  return {";
const runFile = promisify(execFile);

/** A copy of the sources, with the packages of this checkout. */
interface Copy {
  readonly folder: string;
  /** The path in the copy of the file whose name ends like this or which holds this text. */
  readonly find: (what: { readonly name?: string; readonly text?: string }) => string;
  /** The files that differ from this checkout or are not in it. */
  readonly edits: () => readonly string[];
  /** The compiler's errors for the file with the handler, for the added file, and for everything that these import. */
  readonly compile: () => Promise<string>;
}

function copySources(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-edits-'));
  for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
  cpSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
  for (const part of ['node_modules', 'resources']) symlinkSync(join(root, part), join(folder, part), 'junction');
  const texts = new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const edits = (): readonly string[] =>
    filesIn(folder).filter((path) => texts.get(path) !== readFileSync(join(folder, path), 'utf8'));
  const find: Copy['find'] = ({ name = '', text = '' }) => {
    const isIt = ([path, all]: readonly [string, string]): boolean => path.endsWith(name) && all.includes(text);
    const found = [...texts].filter(isIt).map(([path]) => path);
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${found.length} files have ${name}${text}`);
    return only;
  };
  return {
    folder,
    find,
    edits,
    compile: async () => {
      const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
      const types = ['node', 'vite/client'];
      const config = {
        compilerOptions: { ...compilerOptions, types },
        files: [find({ text: handlersOf }), ...edits()],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const done = await runFile(process.execPath, [tsc, '-p', folder], { cwd: folder }).catch(
        (error: unknown) => error,
      );
      return String(Reflect.get(Object(done), 'stdout'));
    },
  };
}

function filesIn(folder: string): readonly string[] {
  return parts.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}

/** Inserts `line` after the line that ends with `after`. */
function insert({ folder, find }: Copy, after: string, line: string): void {
  const path = join(folder, find({ text: after }));
  writeFileSync(path, readFileSync(path, 'utf8').replace(after, `${after}\n${line}`));
}

/** Adds a file beside one of its kind, with the imports that the other one needs to define itself. */
function addBeside({ folder, find }: Copy, sibling: string, [name, text]: readonly [string, string]): void {
  const path = find({ name: sibling });
  const of = /import \{ (define\w+)[^}]* \} from ('.*');/u.exec(readFileSync(join(folder, path), 'utf8'));
  const define = `import { ${of?.[1]} } from ${of?.[2]};`;
  writeFileSync(join(folder, dirname(path), name), `import { z } from 'zod';\n${define}\n${text}`);
}

const declare = (copy: Copy): void =>
  insert(
    copy,
    'export const settingsContract = {',
    '  echo: base.input(z.object({ text: z.string() })).output(type<{ text: string }>()),',
  );

const handle = (copy: Copy): void => insert(copy, handlersOf, '    echo: ({ input }) => ({ text: input.text }),');

const provider = `export default defineProvider({
  kind: 'echo',
  label: 'Echo',
  settings: z.object({}),
  secrets: [],
  create: (_dependencies, { id }) => ({
    id,
    list: async () => [],
    resolve: async () => null,
    countTokens: async () => 1,
    dispose: async () => undefined,
    async *stream() {
      yield { type: 'text-delta', text: 'echo' };
    },
  }),
});
`;

const tool = `export default defineTool({
  name: 'echo',
  description: 'Say it again.',
  access: 'read',
  input: z.object({ text: z.string() }),
  label: ({ text }) => text,
  create: () => async ({ text }) => ({ status: 'ok', output: text }),
});
`;

const rule = `void z;
export default defineRule({ id: 'echo', vote: () => [{ toward: 'local', weight: 1, reason: 'An echo is near.' }] });
`;

const recipe = `void z;
export default defineRecipe({
  id: 'echo',
  label: 'Echo',
  fits: ({ task }) => ({ score: 1, reason: task }),
  run: () => Promise.reject(new Error('Nobody calls.')),
});
`;

let contractAlone: Copy;
let whole: Copy;

beforeAll(() => {
  contractAlone = copySources();
  declare(contractAlone);
  whole = copySources();
  declare(whole);
  handle(whole);
  addBeside(whole, '/scripted.provider.ts', ['echo.provider.ts', provider]);
  addBeside(whole, '/update-plan.tool.ts', ['echo.tool.ts', tool]);
  addBeside(whole, '/task-words.rule.ts', ['echo.rule.ts', rule]);
  addBeside(whole, '/answer.recipe.ts', ['echo.recipe.ts', recipe]);
});

afterAll(() => {
  for (const copy of [contractAlone, whole]) rmSync(copy.folder, { recursive: true, force: true });
});

it('a new command takes two edits, and any other addition takes one file', () => {
  const names = whole.edits().map((path) => path.split(/[/\\]/u).at(-1));
  expect(new Set(names.filter((name) => name?.startsWith('echo.')))).toEqual(
    new Set(['echo.provider.ts', 'echo.recipe.ts', 'echo.rule.ts', 'echo.tool.ts']),
  );
  expect(names.filter((name) => name?.startsWith('echo.') !== true)).toHaveLength(2);
});

// Two whole compilations: on a busy machine they take minutes.
const patience = { timeout: 300_000 };

it('the compiler reports a command without a handler, and accepts a complete one', patience, async () => {
  const [alone, all] = await Promise.all([contractAlone.compile(), whole.compile()]);
  expect(alone).toContain("Property 'echo' is missing");
  expect(all).toBe('');
});

const probe = `
import { createRouterClient } from '@orpc/server';
import { compose } from '/src/main/compose.ts';
import { createRouter } from '/ROUTER';
import { discoverProviders } from '/PROVIDERS';
import { builtInTools, discoverTools } from '/TOOLS';
import { discoverRules } from '/RULES';
import { discoverRecipes } from '/RECIPES';

export async function callAll(home) {
  const core = await compose({ home, cache: home, version: '0', onNotice: () => undefined, env: {} });
  const said = await createRouterClient(createRouter(core.handlers)).settings.echo({ text: 'command' });
  await core.dispose();
  const byId = (all) => all.find(({ id }) => id === 'echo');
  const provider = discoverProviders([]).get('echo').create({}, { id: 'echo', settings: {} });
  const parts = await Array.fromAsync(provider.stream());
  const tool = builtInTools(discoverTools(), { now: Date.now }).find(({ name }) => name === 'echo');
  return {
    command: said.text,
    provider: parts[0].text,
    tool: (await tool.run({ text: 'tool' }, {})).output,
    rule: byId(discoverRules()).vote({})[0].reason,
    recipe: byId(discoverRecipes()).fits({ task: 'recipe' }).reason,
  };
}
`;

it('an added command, provider, tool, rule or recipe is found and answers', async () => {
  const { folder, find } = whole;
  const registries = {
    ROUTER: 'export function createRouter(',
    PROVIDERS: 'export function discoverProviders(',
    TOOLS: 'export function discoverTools(',
    RULES: 'export function discoverRules(',
    RECIPES: 'export function discoverRecipes(',
  };
  const entries = Object.entries(registries).map(([name, text]) => [name, find({ text })] as const);
  writeFileSync(
    join(folder, 'probe.js'),
    entries.reduce((text, [name, path]) => text.replace(`/${name}`, `/${path}`), probe),
  );
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, ws: false, watch: null },
    appType: 'custom',
    resolve: { alias: { '@shared': join(folder, 'src/shared') } },
  });
  try {
    const { callAll } = await server.ssrLoadModule('/probe.js');
    expect(await callAll(join(folder, 'home'))).toEqual({
      command: 'command',
      provider: 'echo',
      tool: 'tool',
      rule: 'An echo is near.',
      recipe: 'recipe',
    });
  } finally {
    await server.close();
  }
});
