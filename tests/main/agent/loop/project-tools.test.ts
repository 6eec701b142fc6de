import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatherFacts } from '../../../../src/main/projects/facts/gather-project-facts.ts';
import { createFindParts } from '../../../../src/main/projects/facts/project-parts.ts';
import type { ProjectPart, Tool } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const reader: Tool = {
  name: 'page_count',
  description: 'Counts the pages of a document.',
  access: 'read',
  needs: 'documents',
  input: z.object({}),
  label: () => 'count pages',
  run: async () => ({ status: 'ok', output: '3 pages' }),
};
const tools = [reader, ...builtInTools(discoverTools(), { now: () => 0 })];

function kitWith(parts: readonly ProjectPart[]): AgentKit {
  const replies = [call('page_count', {}), call('task_complete', { summary: 'ok' })];
  return createAgentKit({ replies, tools, dependencies: { project: { findParts: async () => parts } } });
}

describe('a tool that needs a part of the project', () => {
  it('is told of where the project has the part, and a replay takes that from the log', async () => {
    const kit = kitWith(['documents']);
    await kit.runner.send('Count the pages.', { ...turnOptions, strategy: 'loop' });
    expect(JSON.stringify(kit.requests[0])).toContain('page_count');
    await expectReplay(kit);
  });

  it('costs no prompt a token where the project lacks it', async () => {
    const kit = kitWith(['symbols']);
    await kit.runner.send('Count the pages.', { ...turnOptions, strategy: 'loop' });
    expect(JSON.stringify(kit.requests[0])).not.toContain('page_count');
  });
});

describe('the parts of a project', () => {
  const { sandbox } = createAgentKit();
  const facts = { languages: [], fileCount: 0, sourceFiles: [], testFiles: [] };
  const project = { sandbox, facts: { ...facts, test: null, instructionFiles: [], git: true, truncated: false } };

  it('leave out what cannot be found out', async () => {
    const find = createFindParts([
      ['symbols', () => Promise.reject(new Error('The disk is gone.'))],
      ['repository', async (one) => one.facts.git],
      ['documents', async () => false],
    ]);
    expect(await find(project, new AbortController().signal)).toEqual(['repository']);
  });

  // Bug: the files of a project were listed twice before each task, 25 s each time for a million of them.
  it('are found among the files that were listed for the facts, which are not listed again', async () => {
    let lists = 0;
    const kit = createAgentKit({ sandbox: { files: { 'docs/a.md': 'a', 'b.py': 'b' } } });
    const { list } = kit.sandbox.files;
    kit.sandbox.files.list = (...asked) => {
      lists += 1;
      return list(...asked);
    };
    const { signal } = new AbortController();
    const seen: (readonly string[])[] = [];
    const find = createFindParts([['documents', async ({ paths }) => (await paths()).includes('docs/a.md')]]);
    let paths: readonly string[] | undefined;
    const read = await gatherFacts(kit.sandbox.files, signal, (listed) => {
      paths = listed;
      seen.push(listed);
    });
    const listsOfFacts = lists;
    expect(await find({ sandbox: kit.sandbox, facts: read, paths }, signal)).toEqual(['documents']);
    expect([listsOfFacts > 0, lists - listsOfFacts, seen.length]).toEqual([true, 0, 1]);
    expect(await find({ sandbox: kit.sandbox, facts: read }, signal)).toEqual(['documents']);
    expect(lists).toBe(listsOfFacts + 1);
  });

  it('are not looked for any more after cancel', async () => {
    const cancel = new AbortController();
    const find = createFindParts([
      [
        'skills',
        () => {
          cancel.abort(new Error('cancelled'));
          return Promise.reject(new Error('stopped'));
        },
      ],
    ]);
    await expect(find(project, cancel.signal)).rejects.toThrow('cancelled');
  });
});
