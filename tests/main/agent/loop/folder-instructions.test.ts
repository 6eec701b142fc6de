import { describe, expect, it } from 'vitest';
import { folderInstructions, instructionsFor } from '../../../../src/shared/safety/instruction-files.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = {
  'AGENTS.md': 'All of it.',
  'web/AGENTS.md': 'Use tabs in web.',
  'web/app/CLAUDE.md': 'Ask about app.',
  'web/app/page.ts': 'export {};\n',
  'other/a.ts': 'export {};\n',
};
const done = call('task_complete', { summary: 'ok' });
const read = (path: string) => call('read_file', { path });
const found = (kit: ReturnType<typeof createAgentKit>) =>
  ofType(kit.journal.events, 'instructions-found').map(({ path, use }) => `${path} ${use}`);

describe('the instructions of a folder', () => {
  it('are told when a file of it is first read, outermost first and once', async () => {
    const kit = createAgentKit({
      sandbox: { files },
      replies: [
        read('other/a.ts'),
        read('web/app/page.ts'),
        read('web/app/page.ts'),
        done,
        read('./web/app/page.ts'),
        done,
      ],
    });
    await kit.runner.send('Change the page.', turnOptions);
    expect(found(kit)).toEqual(['AGENTS.md used', 'web/AGENTS.md used', 'web/app/CLAUDE.md used']);
    const said = kit.requests.map(({ messages }) => JSON.stringify(messages));
    expect(said[1]).not.toContain('Use tabs in web.');
    expect(said[2]).toContain('Instructions of the folder web (web/AGENTS.md)');
    expect(said[2]).toContain('Ask about app.');
    await kit.runner.send('Once more.', turnOptions);
    expect(found(kit).filter((one) => one.startsWith('web/'))).toHaveLength(2);
    await expectReplay(kit);
  });

  // Catches: the instructions of one folder that every task gets, because the project has none at its top.
  it('are told for work in it alone where the project has none of its own', async () => {
    const { 'AGENTS.md': _top, ...below } = files;
    const kit = createAgentKit({
      sandbox: { files: below },
      replies: [read('other/a.ts'), read('web/app/page.ts'), done],
    });
    await kit.runner.send('Change the page.', turnOptions);
    const said = kit.requests.map(({ messages }) => JSON.stringify(messages));
    expect(said[1]).not.toContain('Use tabs in web.');
    expect(said[2]).toContain('Instructions of the folder web (web/AGENTS.md)');
    await expectReplay(kit);
  });

  it('are told after the first change, too, and held back without a yes', async () => {
    const kit = createAgentKit({
      sandbox: { files },
      replies: [
        call('write_file', { path: 'web/new.ts', content: 'x' }),
        call('write_file', { path: 'web/more.ts', content: 'x' }),
        done,
      ],
      dependencies: {
        project: {
          instructions: {
            check: async (_path, bytes) => ({
              sha256: 'a',
              state: 'new',
              text: Buffer.from(bytes).toString('utf8'),
              diff: null,
              problem: null,
              isRefused: false,
            }),
            keep: async () => undefined,
          },
        },
      },
    });
    await kit.runner.send('Add a page.', turnOptions);
    expect(found(kit)).toEqual(['AGENTS.md held', 'web/AGENTS.md held']);
    expect(JSON.stringify(kit.requests)).not.toContain('Use tabs in web.');
  });

  it('are those of the best known name in each folder, and none of a folder of tools', () => {
    const paths = ['AGENTS.md', 'a/CLAUDE.md', 'a/AGENTS.md', 'a/b/c/GEMINI.md', '.github/copilot-instructions.md'];
    expect(folderInstructions([...paths, 'node_modules/x/AGENTS.md'])).toEqual(['a/AGENTS.md', 'a/b/c/GEMINI.md']);
    expect(instructionsFor(['a/AGENTS.md', 'a/b/c/GEMINI.md'], ['ab/x.ts'])).toEqual([]);
    expect(instructionsFor(['a/AGENTS.md', 'a/b/c/GEMINI.md'], ['a/b/x.ts'])).toEqual(['a/AGENTS.md']);
  });
});
