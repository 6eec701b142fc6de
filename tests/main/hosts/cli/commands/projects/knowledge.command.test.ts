import { describe, expect, it } from 'vitest';
import type { KnowledgeFile, KnowledgeSource } from '../../../../../../src/shared/documents/knowledge.ts';
import { AppError } from '../../../../../../src/shared/errors.ts';
import {
  knowledge,
  type KnowledgeArguments,
} from '../../../../../../src/main/hosts/cli/commands/projects/knowledge.command.ts';
import { wholeStream } from '../../../../../../src/main/lib/async/push-queue.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const settings = {
  own: {},
  usual: { policy: 'local', local: 'a/b', cloud: null, image: null },
  variables: {},
  secrets: [],
  folders: [],
  testCommand: null,
  image: null,
} as const;

const handbook: KnowledgeFile = {
  name: 'handbook.pdf',
  sizeBytes: 120_000,
  kind: 'pdf',
  pages: 12,
  tokens: 4_200,
  from: { type: 'file', path: '/shelf/handbook.pdf' },
  addedAt: Date.UTC(2026, 10, 30),
  isWhole: false,
};

const nameOf = (source: KnowledgeSource): string => (source.type === 'page' ? source.url : source.path);

/** A project that has these files. Sources whose name ends in `.bin` are refused. */
function scene(files: readonly KnowledgeFile[], isThere = true) {
  const core = createScriptedCore();
  const asked: unknown[] = [];
  const known = () => ({ name: 'knowledge', folder: '/home/me/knowledge', files: [...files] });
  core.replace({
    projects: { settings: () => ({ ...settings, isThere }) },
    knowledge: {
      list: known,
      add: ({ input: { sources, projectPath }, signal }) =>
        wholeStream(async (tell) => {
          asked.push({ projectPath, sources });
          for (const [at, source] of sources.entries()) {
            const isRefused = nameOf(source).endsWith('.bin');
            const note = isRefused ? 'photo.bin is no document and no text.' : null;
            const added = isRefused
              ? ({ source, name: null, outcome: 'refused', note } as const)
              : ({ source, name: 'handbook.pdf', outcome: 'added', note } as const);
            tell({ type: 'source', added, done: at + 1, of: sources.length });
          }
          tell({ type: 'ended', knowledge: known() });
        }, signal),
      remove: ({ input }) => {
        asked.push(input);
        if (!files.some(({ name }) => input.names.includes(name)))
          throw new AppError('not-found', `The knowledge has no file "${input.names[0] ?? ''}". Nothing was changed.`);
        return known();
      },
      setWhole: ({ input }) => {
        asked.push(input);
        return known();
      },
    },
  });
  const { context, said } = commandContext(core);
  const run = (action: 'list' | 'add' | 'remove', words: readonly string[] = [], args: KnowledgeArguments = {}) =>
    knowledge(context, { action, folder: '/app', words, args });
  return { run, said, asked };
}

describe('projects knowledge', () => {
  it('lists each file as answers name it, with its pages and what it costs', async () => {
    const { run, said } = scene([handbook, { ...handbook, name: 'rules.md', kind: null, isWhole: true }]);
    expect(await run('list')).toBe(0);
    expect(said.out).toContain('knowledge/handbook.pdf\n  12 pages, ');
    expect(said.out).toContain('about 4200 tokens, searched, from /shelf/handbook.pdf, 2026-11-30');
    expect(said.err).toContain('2 files in /home/me/knowledge. Whole in each session: 1, about 4200 tokens.');
  });

  it('prints JSON alone where that is asked for, also for a project without any', async () => {
    const { run, said } = scene([handbook]);
    await run('list', [], { json: true });
    expect(JSON.parse(said.out)).toMatchObject({ name: 'knowledge', files: [{ name: 'handbook.pdf', pages: 12 }] });
    expect(said.err).toBe('');
    const empty = scene([]);
    await empty.run('list', [], { json: true });
    expect(JSON.parse(empty.said.out)).toMatchObject({ files: [] });
  });

  it('says in an empty project how to add a file', async () => {
    const { run, said } = scene([]);
    expect(await run('list')).toBe(0);
    expect(said.out).toBe('');
    expect(said.err).toBe('No knowledge. Add a file or a page: dewpoint projects knowledge add /app FILE\n');
  });

  it('adds files and pages, gives them whole where that is asked for, and ends with 1 where one is refused', async () => {
    const { run, said, asked } = scene([handbook]);
    expect(await run('add', ['/shelf/handbook.pdf', 'https://example.org/tariffs'], { whole: true })).toBe(0);
    const sources = [
      { type: 'file', path: '/shelf/handbook.pdf' },
      { type: 'page', url: 'https://example.org/tariffs' },
    ];
    const whole = { projectPath: '/app', name: 'handbook.pdf', isWhole: true };
    expect(asked).toEqual([{ projectPath: '/app', sources }, whole, whole]);
    expect(await run('add', ['/shelf/photo.bin', '/shelf/handbook.pdf'])).toBe(1);
    expect(said.err).toContain('photo.bin is no document and no text.\nhandbook.pdf is added.\n');
  });

  it('removes files by their names, and says so where there is no such file', async () => {
    const { run, said, asked } = scene([handbook]);
    expect(await run('remove', ['handbook.pdf'])).toBe(0);
    expect(asked).toEqual([{ projectPath: '/app', names: ['handbook.pdf'] }]);
    expect(said.err).toBe('handbook.pdf is removed: the copy, its text in the index and its vectors.\n');
    await expect(run('remove', ['hnadbook.pdf'])).rejects.toThrow('The knowledge has no file "hnadbook.pdf"');
  });

  // Catches: `knowledge add handbook.pdf notes.md`, which gives notes.md to a project that nobody has.
  it('adds nothing to a folder that does not exist, and lists what is left of one that is gone', async () => {
    const { run, asked } = scene([], false);
    await expect(run('add', ['notes.md'])).rejects.toMatchObject({
      message: expect.stringMatching(/^The project folder .*app was not found\. Nothing was changed\.$/u),
      hint: expect.stringContaining('knowledge add . handbook.pdf'),
    });
    await expect(run('list')).rejects.toThrow('was not found');
    expect(asked).toEqual([]);
    const gone = scene([handbook], false);
    expect(await gone.run('list')).toBe(0);
    expect(gone.said.out).toContain('knowledge/handbook.pdf');
  });
});
