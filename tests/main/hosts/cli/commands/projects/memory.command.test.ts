import { describe, expect, it } from 'vitest';
import { memory } from '../../../../../../src/main/hosts/cli/commands/projects/memory.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const line = (id: string, text: string) => ({
  id,
  text,
  date: null,
  sessionId: null,
  isAfterOutside: false,
  of: 'project' as const,
});
const lines = [line('a1', 'Dates are kept in UTC.'), line('b2', 'Tests need Python 3.12.')];

const list = async (...words: string[]) => {
  const core = createScriptedCore();
  core.replace({ memory: { list: () => ({ files: { you: 'you.md', project: 'project.md' }, lines }) } });
  const { context, said } = commandContext(core);
  expect(await memory(context, 'list', words, {})).toBe(0);
  return said;
};

describe('memory list', () => {
  it('shows all lines without words, and with words those that hold all of them', async () => {
    expect((await list()).out.trim().split('\n')).toHaveLength(2);
    expect((await list('dates', 'utc')).out).toMatch(/^a1 {2}Dates are kept in UTC\./u);
    expect((await list('tests', 'python')).out).toContain('b2');
  });

  it('tells lines without these words from no lines at all', async () => {
    const said = await list('dates', 'python');
    expect(said.out).toBe('');
    expect(said.err).toContain('None of the 2 lines has these words.');
    expect(said.err).not.toContain('Nothing is noted');
  });
});
