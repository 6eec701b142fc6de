import { describe, expect, it } from 'vitest';
import { noVectorModel, type SearchProgress } from '../../../../../../src/shared/documents/document-search.ts';
import { searchProject } from '../../../../../../src/main/hosts/cli/commands/projects/search-project.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const part = { path: 'a.pdf', fromLine: 3, toLine: 4, page: 2, title: 'Terms', text: 'Three years.\u001b[2J' };

async function searched(progress: readonly SearchProgress[], args = {}) {
  const core = createScriptedCore();
  const asked: unknown[] = [];
  core.replace({
    projects: {
      search: async function* (input: unknown) {
        asked.push(input);
        yield* progress;
      },
    },
  });
  const { context, said } = commandContext(core);
  const code = await searchProject(context, { folder: '/docs', words: ['how', 'long'] }, args);
  return { code, said, asked };
}

describe('projects search', () => {
  it('prints places that can be cited, and says when it went by words alone', async () => {
    const by = { type: 'words', why: noVectorModel } as const;
    const { code, said, asked } = await searched([{ type: 'ended', chunks: [part], documents: 2, left: 1, by }]);
    expect(code).toBe(0);
    expect(asked).toMatchObject([{ input: { projectPath: '/docs', words: 'how long', wait: false } }]);
    expect(said.out).toContain('a.pdf:3, page 2 (Terms)\n  Three years.');
    expect(said.out).not.toContain('\u001b');
    expect(said.err).toContain('1 of 2 documents are not read yet');
    expect(said.err).toContain('By words alone. There is no embedding model');
  });

  it('says how far the vectors are', async () => {
    const by = { type: 'words-yet', model: 'm', done: 1, of: 9 } as const;
    const { said } = await searched(
      [
        { type: 'waiting' },
        { type: 'vectors', done: 1, of: 9 },
        { type: 'ended', chunks: [], documents: 2, left: 0, by },
      ],
      { wait: true },
    );
    expect(said.err).toContain(
      'Waiting: other vectors are made first.\n1 of 9 parts are ready for a search by meaning.',
    );
    expect(said.err).toContain('No part of 2 documents fits these words.');
    expect(said.err).toContain('--wait');
  });

  it('says why the rest has no vectors, and does not ask to wait for them', async () => {
    const by = { type: 'meaning', model: 'm', done: 8, of: 9, why: 'No memory.' } as const;
    const { said } = await searched([{ type: 'ended', chunks: [part], documents: 2, left: 0, by }], { wait: true });
    expect(said.err).toBe('By words and meaning. 1 of 9 parts by words alone: No memory.\n');
  });

  // Bug: a project of code alone was told that no part of 0 documents fits.
  it('says what it searches, and how to search code, where there are no documents', async () => {
    const by = { type: 'words', why: noVectorModel } as const;
    const { code, said } = await searched([{ type: 'ended', chunks: [], documents: 0, left: 0, by }]);
    expect(code).toBe(0);
    expect(said.err).toContain('There are no documents in /docs.');
    expect(said.err).toContain('dewpoint projects map /docs --about WORDS');
    expect(said.err).not.toContain('By words alone');
  });
});
