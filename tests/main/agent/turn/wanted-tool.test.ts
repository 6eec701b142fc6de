import { describe, expect, it } from 'vitest';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { ModelInfo } from '../../../../src/shared/models/model-info.ts';
import type { ConnectedTools } from '../../../../src/main/tools/connected/connected-tool.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { AgentKit, KitDependencies, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, loopModel, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const spec = (tool: string, description: string): ConnectedToolSpec => ({
  name: `desk__${tool}`,
  server: 'desk',
  tool,
  description,
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  leaves: true,
  readsFiles: false,
});
const few = [spec('create_ticket', 'Creates a ticket. More words.'), spec('list_people', 'Lists people.')];
const many = [...Array.from({ length: 400 }, (_, at) => spec(`other_${at}`, `Weighs the stone ${at}.`)), ...few];

const starter: Partial<ModelInfo> = {
  parametersB: 1.5,
  contextTokens: 8192,
  strategies: ['recipe'],
  capabilities: { ...loopModel.capabilities, tools: false, grammar: true },
};

/** A recipe for files that accepts every task, as the one for edits does. */
const takesAll = defineRecipe({
  id: 'takes-all',
  label: 'Takes all',
  fits: () => ({ score: 0.6, reason: 'It fits.' }),
  run: async () => ({ type: 'answered', text: 'By the program.' }),
});

interface World {
  readonly specs?: readonly ConnectedToolSpec[];
  readonly model?: Partial<ModelInfo>;
}

function kitWith(replies: readonly Reply[], { specs = few, model = starter }: World = {}) {
  const called: unknown[] = [];
  const connected: ConnectedTools = {
    offered: async () => specs,
    call: async ({ tool }, input) => {
      called.push({ tool, input });
      return { status: 'ok', output: 'Ticket 7.' };
    },
  };
  const dependencies: KitDependencies = { tools: { connected }, approver: { ask: async () => 'allow' } };
  const kit = createAgentKit({ replies, model, recipes: [takesAll], dependencies });
  return { kit, called };
}

const task = 'Create a ticket that says the printer is broken.';
const send = ({ runner }: AgentKit, text = task, mode: 'work' | 'ask' = 'work') =>
  runner.send(text, { ...turnOptions, mode, approve: 'allow' });
const textOf = (kit: AgentKit, at: number): string => JSON.stringify(kit.requests[at]?.messages ?? '');
const ticket = call('desk__create_ticket', { title: 'The printer is broken' });

describe('a small model with connected tools', () => {
  // Bug: a recipe for files took the task, or the model looked through files, and no connected tool was ever called.
  it('is asked which tool the request needs, and then calls that one first', async () => {
    const { kit, called } = kitWith([
      { text: 'desk__create_ticket' },
      ticket,
      call('task_complete', { summary: 'Ticket 7 is there.' }),
    ]);
    const end = await send(kit);
    expect(kit.requests[0]?.output).toEqual({
      type: 'choice',
      options: ['desk__create_ticket', 'edit_code', 'write_test', 'read_code', 'run_command'],
    });
    expect(textOf(kit, 0)).toContain('desk__create_ticket: Creates a ticket.\\nedit_code: ');
    expect(kit.requests[1]?.tools.map(({ name }) => name)).toEqual(['desk__create_ticket']);
    expect(kit.requests[2]?.tools.map(({ name }) => name)).toContain('read_file');
    expect(called).toEqual([{ tool: 'create_ticket', input: { title: 'The printer is broken' } }]);
    // The task changed no file, and still counts as work.
    expect(end).toMatchObject({ reason: 'answered', text: 'Ticket 7 is there.' });
    await expectReplay(kit);
  });

  // Bug: the tool was called, but the user read only "done".
  it('is asked again for words if its answer is empty', async () => {
    const done = call('task_complete', { summary: 'done' });
    const { kit } = kitWith([{ text: 'desk__create_ticket' }, ticket, done, { text: 'Your ticket has number 7.' }]);
    expect(await send(kit)).toMatchObject({ reason: 'answered', text: 'Your ticket has number 7.' });
    expect(kit.requests[3]).toMatchObject({ output: { type: 'text' }, tools: [] });
    expect(textOf(kit, 3)).toContain('Ticket 7.');
  });

  it('goes on without tools if it says that none fits', async () => {
    const { kit, called } = kitWith([{ text: 'read_code' }]);
    expect(await send(kit, 'Say who lists the people.')).toMatchObject({ text: 'By the program.' });
    expect([kit.requests.length, called]).toEqual([1, []]);
  });

  it('is shown only a few of many tools, and the chosen one directly', async () => {
    const { kit, called } = kitWith(
      [{ text: 'desk__create_ticket' }, ticket, call('task_complete', { summary: 'Done.' })],
      {
        specs: many,
      },
    );
    await send(kit);
    expect(textOf(kit, 0)).not.toContain('Weighs');
    expect(textOf(kit, 1)).toContain('desk__create_ticket(title): Creates a ticket.');
    expect(called).toHaveLength(1);
  });

  it('is not asked which tool it needs where none can fit', async () => {
    for (const [text, world] of [
      ['Rename total to sum.', { specs: many }],
      [task, { specs: [] }],
      ['Run the tests.', {}],
      ['Hello!', {}],
    ] as const) {
      const { kit } = kitWith([], world);
      await send(kit, text);
      expect(kit.requests, text).toEqual([]);
    }
  });

  it('is asked which tool it needs only if it is small', async () => {
    const large = { strategies: ['loop' as const], parametersB: 70 };
    const { kit } = kitWith([ticket, call('task_complete', { summary: 'Done.' })], { model: large });
    await send(kit);
    expect(kit.requests[0]?.output).toEqual({ type: 'text' });
  });
});
