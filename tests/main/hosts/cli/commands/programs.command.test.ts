import { expect, it } from 'vitest';
import type { ProgramsAction, ProgramsArguments } from '../../../../../src/main/hosts/cli/commands/programs.command.ts';
import { ownTools } from '../../../../../src/main/hosts/cli/commands/own-tools.command.ts';
import { programs } from '../../../../../src/main/hosts/cli/commands/programs.command.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../fakes/page-core.ts';
import { ownToolScene } from '../../../../fakes/page-own-tools.ts';
import { programScene } from '../../../../fakes/program-scene.ts';

/** Catches: a program that the user cannot read before it is kept, and one that is kept without an approval. */
it('the programs command shows the programs of a session, and the text of one before it is kept', async () => {
  const core = createPageCore();
  const { sessionId } = await programScene(core);
  const kept: unknown[] = [];
  ownToolScene(core.tools.own);
  const { handlers } = core.tools.own;
  const projectPath = '/home/ada/projects/api-server';
  const { tools } = await core.client.ownTools.list({ projectPath });
  const made = tools.find(({ name }) => name === 'add_up');
  if (made === undefined) throw new Error('There is no add_up.');
  core.replace({
    ownTools: {
      ...handlers,
      keep: ({ input }) => {
        kept.push(input);
        return made;
      },
    },
  });
  const run = async (action: ProgramsAction, words: readonly string[] = [], args: ProgramsArguments = {}) => {
    const { context, said } = commandContext(core);
    return { code: await programs(context, action, words, args), ...said };
  };
  const all = await run('show', [sessionId]);
  expect(all.out).toBe(
    [
      '  1  failed      Add the orders up.  (shop__get_order 2 of 40, 1.2 s)',
      '  2  ended well  Add the orders up.  (shop__get_order 2 of 40, 1.2 s)',
      '',
    ].join('\n'),
  );
  const { out } = await run('show', [sessionId, '2']);
  expect(out).toContain('  shop__get_order: 2 of 40, 1 ok, 1 error, 0.1 s\n');
  expect(out).toContain('Tests that ran first: 3\n');
  // Catches: words of a reviewing model that look like Dewpoint's own.
  expect(out).toContain(
    'Found by rules before it was asked about:\n  | Line 2: it encodes or packs data. What leaves may then not be readable in the log.\n' +
      'Claude Opus said of it ($0.0123):\n  | Lines 2 to 4 read 40 orders.\n  | Nothing is sent.\n',
  );
  expect(out).toContain('Written by: ollama/coder (digest aaaaaaaaaaaa), Dewpoint 1.2.0\n');
  expect((await run('show', [sessionId, '1'])).out).toContain('Written by: unknown\n');
  expect(out).toContain('Its model would keep it as add_up.\n');
  expect(out).toMatch(/Different from the one before it:\n(?: {2}\| .*\n)+/u);
  await expect(run('show', [sessionId, '9'])).rejects.toMatchObject({ code: 'not-found' });
  await expect(run('keep', [sessionId, '1'], { yes: true })).rejects.toThrow('Say its name and what it does');
  const answer = await run('keep', [sessionId, '2'], { yes: true });
  expect(answer.err).toContain('  | result = sum(found)');
  expect(answer.err).toContain('It may call shop__get_order, at most 40 times.');
  expect(answer.err).toContain('Written by: ollama/coder (digest aaaaaaaaaaaa), Dewpoint 1.2.0\n');
  const [line, writer] = answer.out.split('\n');
  expect(line).toMatch(/^add_up +version 2 {2}ready {2}Adds the orders up\. {2}\(shop__get_order ≤ 40\)$/u);
  // Catches: a program of another model file and version that is listed like one of today.
  expect(writer).toBe(
    '  Written by ollama/coder (digest aaaaaaaaaaaa), Dewpoint 1.2.0. Today: ollama/coder (digest bbbbbbbbbbbb), Dewpoint 2.0.0. It was not reviewed again since.',
  );
  expect((await run('list', [], { project: projectPath })).out).toBe(answer.out);
  const { context, said } = commandContext(core);
  await ownTools(context, { action: 'show', tool: made, rest: [], args: {} });
  expect(said.err).toContain(`${writer?.trim() ?? ''}\n`);
  const versions = (await run('diff', ['add_up'], { project: projectPath })).out;
  expect(versions).toContain('  | -result = 1\n  | +result = 2');
  expect(versions).toContain('written by: ollama/coder (digest aaaaaaaaaaaa), Dewpoint 1.1.0\n');
  expect(kept).toEqual([expect.objectContaining({ name: 'add_up', description: 'Adds the orders up.' })]);
});
