import { describe, expect, it } from 'vitest';
import { textOf } from '../../../../src/shared/models/model-messages.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import { call, createAgentKit, ofType, turnOptions, types } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const auto = { ...turnOptions, mode: 'auto' } as const;
const task = 'Answer with exactly three things that a process has and a thread has not.';

/** Accepts every task, and would write a file. */
const greedy = defineRecipe({
  id: 'greedy',
  label: 'greedy',
  fits: () => ({ score: 1, reason: 'always' }),
  run: async () => ({ type: 'answered', text: 'by the program' }),
});

describe('a conversation without a project', () => {
  it('makes one call to the model, without a list of files, a recipe or a tool', async () => {
    const kit = createAgentKit({ replies: [{ text: 'Memory, handles, a page table.' }], recipes: [greedy] });
    const end = await kit.runner.send(task, auto);
    expect(end).toMatchObject({ reason: 'answered', text: 'Memory, handles, a page table.' });
    expect(types(kit.journal.events)).toEqual([
      'user-message-added',
      'tool-started',
      'tool-ended',
      'turn-started',
      'stage-chosen',
      'route-decided',
      'model-call-started',
      'model-call-ended',
      'turn-ended',
    ]);
    expect(ofType(kit.journal.events, 'turn-started')[0]?.mode).toBe('chat');
    expect(ofType(kit.journal.events, 'tool-ended')[0]?.output).toBe('');
    const [request] = kit.requests;
    expect(request?.tools).toEqual([]);
    expect(request?.messages.map((message) => textOf(message))).toEqual([expect.stringContaining('helpful'), task]);
    await expectReplay(kit);
  });

  // Bug: it was told to call a tool, where it had none.
  it('asks again after an empty answer, and speaks of no tools', async () => {
    const kit = createAgentKit({ replies: [{ text: '' }, { text: 'Memory.' }] });
    expect(await kit.runner.send(task, auto)).toMatchObject({ reason: 'answered', text: 'Memory.' });
    const last = textOf(kit.requests[1]?.messages.at(-1) ?? { parts: [] });
    expect(last).toContain('Your answer was empty. Answer the message.');
    await expectReplay(kit);
  });

  // Bug: a table was added up wrongly, and nothing beside the answer said so.
  it('says which sums of an answer do not hold', async () => {
    const kit = createAgentKit({ replies: [{ text: '52000 + 48500 = 110500, and 2 + 2 = 4.' }] });
    await kit.runner.send('How much do both earn?', auto);
    expect(ofType(kit.journal.events, 'notice-added')).toMatchObject([
      { level: 'warning', text: expect.stringContaining(': 52000 + 48500 is 100500, not 110500.') },
    ]);
    await expectReplay(kit);
    const right = createAgentKit({ replies: [{ text: '2 + 2 = 4' }] });
    await right.runner.send('How much is it?', auto);
    expect(ofType(right.journal.events, 'notice-added')).toEqual([]);
  });

  it('keeps what was said, and "continue" continues the cut answer', async () => {
    const kit = createAgentKit({ replies: [{ text: 'First part', stopReason: 'length' }, { text: 'Second part.' }] });
    const cut = await kit.runner.send('Write a long poem about the sea.', auto);
    expect(cut).toMatchObject({
      reason: 'incomplete',
      text: 'First part',
      failure: { message: expect.stringContaining('length limit'), hint: expect.stringContaining('"continue"') },
    });
    await kit.runner.send('continue', auto);
    const said = kit.requests[1]?.messages.map((message) => textOf(message)) ?? [];
    // Bug: the model went on as if its answer had been whole.
    const told = expect.stringContaining('Your answer before this was cut off');
    expect(said.slice(1)).toEqual(['Write a long poem about the sea.', 'First part', told, 'continue']);
    await expectReplay(kit);
  });

  /** Catches: a run whose script goes on as if half an answer were the whole one. */
  it('ends as incomplete when the answer breaks off, and keeps what came', async () => {
    const error = { code: 'cut', message: 'The answer was cut off.', retryable: false } as const;
    const kit = createAgentKit({ replies: [{ text: 'First part', error }, { text: 'Second part.' }] });
    const cut = await kit.runner.send('Write a long poem about the sea.', auto);
    expect(cut).toMatchObject({ reason: 'incomplete', text: 'First part', failure: { message: error.message } });
    await kit.runner.send('continue', auto);
    expect(kit.requests[1]?.messages.map((message) => textOf(message)).slice(2)).toEqual(['First part', 'continue']);
    await expectReplay(kit);
  });

  /** Catches: a chat that cannot draw, and instructions for drawing that cost tokens in every message. */
  it('tells the model how to draw only once the person asks for a drawing', async () => {
    const drawn = 'Here it is.\n\n```chart-bar\nDay,Sold\nMon,3\n```';
    const kit = createAgentKit({ replies: [{ text: 'Hello.' }, { text: drawn }, { text: 'You are welcome.' }] });
    for (const text of ['Hello', 'Show me a bar chart: Mon 3.', 'Thanks!']) await kit.runner.send(text, auto);
    const told = kit.requests.map(({ tools, messages: [system] }) => [
      tools.length,
      system !== undefined && textOf(system).includes('chart-bar'),
    ]);
    expect(told).toEqual([
      [0, false],
      [0, true],
      [0, true],
    ]);
    const ends = ofType(kit.journal.events, 'turn-ended').map(({ text }) => text);
    expect(ends[1]).toBe(drawn);
    await expectReplay(kit);
  });

  it('prepares no sandbox before a message asks for work', async () => {
    let prepared = 0;
    const kit = createAgentKit({ replies: [{ text: 'Hello.' }, call('task_complete', { summary: 'Made it.' })] });
    const sandbox = Object.assign(kit.sandbox, {
      prepare: async () => {
        prepared += 1;
      },
    });
    expect(sandbox).toBe(kit.dependencies.sandbox);
    await kit.runner.send('Hello', auto);
    expect(prepared).toBe(0);
    await kit.runner.send('Create notes.txt with a list of fruit.', auto);
    expect(prepared).toBe(1);
    expect(ofType(kit.journal.events, 'turn-started').map(({ mode }) => mode)).toEqual(['chat', 'work']);
  });
});

describe('the mode that the person chose', () => {
  it('counts more than the words: Ask changes no file, and Work is not a question', async () => {
    const edit = call('write_file', { path: 'b.py', content: 'x = 2\n' });
    const kit = createAgentKit({ replies: [edit, { text: 'I would write 2.' }, edit, call('task_complete', {})] });
    const options = { ...turnOptions, strategy: 'loop' } as const;
    await kit.runner.send('Set x to 2.', { ...options, mode: 'ask' });
    expect(kit.sandbox.text('b.py')).toBeNull();
    await kit.runner.send('What if x were 2?', { ...options, mode: 'work' });
    expect(kit.sandbox.text('b.py')).toBe('x = 2\n');
    await expectReplay(kit);
  });
});
