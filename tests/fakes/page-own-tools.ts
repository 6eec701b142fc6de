import { resolve } from 'node:path';
import { loadSyntax } from '../../src/main/recipes/code/code-syntax.ts';
import type { Handlers } from '../../src/main/server/handlers.ts';
import { createOwnToolCommands } from '../../src/main/tools/own/commands.ts';
import type { OwnToolNotes } from '../../src/main/tools/own/own-tool-record.ts';
import { nothingNoted } from '../../src/main/tools/own/own-tool-record.ts';
import type { ListedTool, OwnTools } from '../../src/main/tools/own/own-tools.ts';
import { sha256Of } from '../../src/main/lib/sha256.ts';
import { ownToolDeclarationSchema } from '../../src/shared/tools/own-tool.ts';
import { ownToolServers } from '../../src/shared/tools/own-tool.ts';
import type { ProjectTools } from '../../src/shared/tools/server-definition.ts';
import { projectWord } from '../../src/shared/tools/server-definition.ts';
import type { Note } from './page-settings.ts';

type TableTool = Pick<ListedTool, 'source' | 'path' | 'file' | 'text' | 'sha256' | 'tool' | 'problem'>;

/** Tools from files for a page: the real commands, with a table in place of files. */
export interface PageOwnTools {
  readonly handlers: Handlers['ownTools'];
  readonly files: TableTool[];
  notes: OwnToolNotes;
  off: readonly string[];
}

export function createPageOwnTools(projects: Record<string, ProjectTools>, note: Note): PageOwnTools {
  const files: TableTool[] = [];
  const tools: OwnTools = {
    list: async (projectPath) => ({
      folders: ['/home/ada/.dewpoint/tools', ...(projectPath === null ? [] : [`${projectPath}/.dewpoint/tools`])],
      problems: [],
      notes: page.notes,
      tools: files
        .filter(({ source, path }) => source === 'home' || (projectPath !== null && path.startsWith(projectPath)))
        .map((one) => listed(page, one, projects[projectPath ?? ''] ?? {})),
    }),
    forProject: () => ({ offered: async () => [], call: async () => ({ status: 'error', output: '' }) }),
    run: async () => ({ status: 'ok', output: '' }),
  };
  const handlers = createOwnToolCommands({
    home: '/home/ada/.dewpoint',
    templates: resolve('resources/tools'),
    tools,
    loadSyntax,
    record: { read: async () => page.notes, change: async (edit) => void (page.notes = edit(page.notes)) },
    taken: () => new Map(),
    off: () => page.off,
    saveOff: async (names) => void (page.off = names),
    projects: () => projects,
    saveProject: async (path, own) => {
      if (own === null) delete projects[path];
      else projects[path] = own;
    },
    programsOf: async () => ({ projectPath: null, programs: [] }),
    writerToday: async () => ({ model: 'ollama/coder', digest: 'b'.repeat(64), app: '2.0.0' }),
    now: () => Date.now(),
    keepSecret: async (name) => note('ownSecret', name),
    dropSecret: async () => undefined,
  });
  const page: PageOwnTools = { handlers, files, notes: nothingNoted, off: [] };
  return page;
}

function listed({ notes, off }: PageOwnTools, one: TableTool, words: ProjectTools): ListedTool {
  const name = one.tool?.name ?? one.file;
  const own = projectWord(words, ownToolServers[one.source], name);
  const approved = notes.approved[one.path]?.sha256;
  const waits = approved === undefined ? 'not-approved' : 'changed';
  const state = one.tool === null ? 'broken' : one.source === 'home' || approved === one.sha256 ? 'ready' : waits;
  const writer = notes.versions[one.path]?.at(-1)?.writer ?? null;
  const isWanted = own ?? !off.includes(name);
  return { ...one, read: one.tool ?? { problem: one.problem ?? '' }, own, state, isWanted, writer };
}

/** One tool for each state: the user's own with and without a key, a broken one, and a project's tool that changed. */
export function ownToolScene(page: PageOwnTools): void {
  const add = (source: 'home' | 'project', file: string, declaration: object | string): string => {
    const folder = source === 'home' ? '/home/ada/.dewpoint/tools' : '/home/ada/projects/api-server/.dewpoint/tools';
    const text = `#!/usr/bin/env bash\n# /// dewpoint-tool\n# description = ${JSON.stringify(file)}\n# ///\nmake deploy\n`;
    const base = { source, file, path: `${folder}/${file}`, text, sha256: sha256Of(text) };
    const tool =
      typeof declaration === 'string'
        ? null
        : {
            name: file.replace(/\..*/, ''),
            declaration: ownToolDeclarationSchema.parse(declaration),
            form: 'program' as const,
            interpreter: ['bash'],
            file,
            text,
          };
    page.files.push({ ...base, tool, problem: typeof declaration === 'string' ? declaration : null });
    return base.path;
  };
  add('home', 'count_words.py', { description: 'Counts the lines and words of a text file in the workspace.' });
  const issue = add('home', 'create_issue.py', {
    description: 'Creates an issue in a GitHub repository, and gives its address.',
    hosts: ['api.github.com'],
    secrets: ['ISSUE_TOKEN'],
  });
  add(
    'home',
    'weather.js',
    'Line 4: "getHosts()" is computed. The file is read without running it: write the value out, or use a header.',
  );
  const deploy = add('project', 'deploy.sh', { description: 'Deploys the server.', hosts: ['deploy.example.org'] });
  const program = add('project', 'add_up.py', {
    description: 'Adds the orders up.',
    version: 2,
    calls: [{ tool: 'shop__get_order', most: 40 }],
  });
  const text = page.files.find(({ path }) => path === program)?.text ?? '';
  const version = (number: number, body: string) => ({
    version: number,
    sha256: sha256Of(body),
    text: body,
    keptAt: Date.now() - 86_400_000 / number,
    sessionId: 'a-session',
    writer: { model: 'ollama/coder', digest: 'a'.repeat(64), app: `1.${number}.0` },
  });
  page.notes = {
    ...nothingNoted,
    versions: { [program]: [version(1, 'result = 1\n'), version(2, 'result = 2\n')] },
    usedAt: { [issue]: Date.now() - 7_200_000 },
    approved: {
      [program]: { sha256: sha256Of(text), text },
      [deploy]: { sha256: sha256Of('before'), text: '#!/usr/bin/env bash\nmake check\n' },
    },
  };
}
