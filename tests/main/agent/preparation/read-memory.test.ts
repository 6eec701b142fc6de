import { describe, expect, it } from 'vitest';
import type { MemoryLine } from '../../../../src/shared/projects/memory-line.ts';
import { memoryText } from '../../../../src/main/agent/preparation/read-memory.ts';
import { call, createAgentKit, ofType, turnOptions, type KitOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const line = (text: string, date: string | null = null): MemoryLine => ({
  id: text,
  text,
  date,
  sessionId: null,
  isAfterOutside: false,
  of: 'you',
});
/** When the session begins. */
const began = Date.parse('2026-11-29');
const done = call('task_complete', { summary: 'ok' });

function kitWith(
  lines: () => readonly MemoryLine[],
  more: Partial<KitOptions> = {},
  noteUse: (ids: readonly string[]) => Promise<void> = async () => undefined,
) {
  return createAgentKit({
    replies: [done, done, done],
    dependencies: {
      project: {
        memory: {
          lines: async () => lines(),
          takesProposals: () => false,
          hasReadOutside: async () => false,
          keep: async () => undefined,
          noteUse,
        },
      },
    },
    ...more,
  });
}

describe('the memory in a turn', () => {
  it('is told with the task, once as long as it is the same', async () => {
    let lines = [line('Be short.')];
    const kit = kitWith(() => lines);
    await kit.runner.send('One.', turnOptions);
    await kit.runner.send('Two.', turnOptions);
    lines = [line('Be long.')];
    await kit.runner.send('Three.', turnOptions);
    const told = ofType(kit.journal.events, 'tool-ended').filter(({ output }) => output.startsWith('The user noted'));
    expect(told.map(({ output }) => output)).toEqual([
      'The user noted for every task:\n- Be short.',
      'The user noted for every task:\n- Be long.',
    ]);
    expect(JSON.stringify(kit.requests[0]?.messages)).toContain('- Be short.');
    await expectReplay(kit);
  });

  // Catches: "Answer in short sentences", noted for everything, that counts in tasks and not in talks.
  it('is told in a talk, which costs nothing more when it is empty', async () => {
    const sent = async (lines: readonly MemoryLine[]) => {
      const kit = kitWith(() => lines, { replies: [{ text: 'Goethe.' }] });
      await kit.runner.send('Who wrote Faust?', { ...turnOptions, mode: 'ask' });
      expect(ofType(kit.journal.events, 'turn-started')).toMatchObject([{ mode: 'chat' }]);
      await expectReplay(kit);
      return JSON.stringify(kit.requests[0]?.messages);
    };
    expect(await sent([line('Be short.')])).toContain('- Be short.');
    expect(await sent([])).not.toMatch(/noted/iu);
  });

  it('costs nothing when it is empty', async () => {
    const kit = kitWith(() => []);
    await kit.runner.send('One.', turnOptions);
    expect(JSON.stringify(kit.journal.events)).not.toMatch(/the memory|noted/iu);
  });

  it('holds the lines that share words with the task first, where not all fit', () => {
    const lines = [
      line('Invoices are rounded per position, never per sum.', '2026-01-01'),
      line('Every page has its own stylesheet under pages/.', '2026-11-01'),
      line('Dates are written as 2026-11-29 everywhere.', '2026-10-01'),
    ];
    const told = (about: string) => memoryText(lines, 1_500, { about, began })?.split('\n').slice(1);
    expect(told('The sum of invoices is wrong.')).toEqual([
      '- Invoices are rounded per position, never per sum.',
      '- Every page has its own stylesheet under pages/.',
    ]);
    expect(told('Go on.')?.[0]).toContain('stylesheet');
    expect(told('Go on.')).toHaveLength(2);
  });

  // Catches: a second message about something else that has the memory told again, in another order.
  it('stays the same for all messages of a session', async () => {
    const lines = [line(`Invoices ${'a'.repeat(1_500)}`), line(`Stylesheets ${'b'.repeat(1_500)}`)];
    const kit = kitWith(() => lines, { model: { contextTokens: 30_000 } });
    await kit.runner.send('Round the invoices.', turnOptions);
    await kit.runner.send('Now the stylesheets.', turnOptions);
    const told = ofType(kit.journal.events, 'tool-ended').filter(({ output }) => output.startsWith('The user noted'));
    expect(told).toHaveLength(1);
    expect(told[0]?.output).toContain('Invoices');
    expect(told[0]?.output).not.toContain('Stylesheets');
  });

  it('holds the newest lines that fit a fortieth of the context', () => {
    const lines = [line('a'.repeat(60), '2026-10-01'), line('b'.repeat(60), '2026-11-01'), line('c'.repeat(60))];
    expect(memoryText(lines, 2_000, { about: '', began })).toBe(
      `The user noted for every task:\n- ${'b'.repeat(60)}\n- ${'a'.repeat(60)}`,
    );
    expect(memoryText(lines, 100, { about: '', began })).toBeUndefined();
  });

  it('holds the lines first that were of use, and those last that were of none for long', () => {
    const use = (sessionId: string, at: number) => ({ sessionId, at });
    const lines = [
      line('o'.repeat(60), '2026-01-01'),
      line('n'.repeat(60), '2026-11-01'),
      { ...line('u'.repeat(60), '2026-01-01'), uses: [use('a', began - 5), use('b', began - 4)] },
      // What happened in this session does not count, so that it is told the same lines throughout.
      { ...line('t'.repeat(60), '2026-10-01'), uses: [use('a', began - 5), use('c', began + 1), use('d', began + 2)] },
    ];
    const told = memoryText(lines, 20_000, { about: '', began }) ?? '';
    expect(told.split('\n- ').map((text) => text[0])).toEqual(['T', 'u', 't', 'n', 'o']);
  });

  it('notes a line that the work used, and not the others, and a replay notes nothing', async () => {
    const noted: (readonly string[])[] = [];
    const lines = [line('Fixtures lie in the folder specimens.'), line('Weeks begin on Monday everywhere.')];
    const replies = [
      { text: 'Nothing was found.' },
      { text: 'The answer:\nFixtures are in the folder specimens.' },
      { text: 'Nothing more was found.' },
    ];
    const kit = kitWith(
      () => lines,
      { replies },
      async (ids) => void noted.push(ids),
    );
    await kit.runner.send('Which fixtures are there in this project?', turnOptions);
    expect(noted).toEqual([]);
    await kit.runner.send('Which fixtures lie in this project?', turnOptions);
    expect(noted).toEqual([[lines[0]?.id]]);
    // Catches: the words of an earlier turn, which count again in each later one.
    await kit.runner.send('And which others are there?', turnOptions);
    expect(noted).toHaveLength(1);
    await expectReplay(kit);
    expect(noted).toHaveLength(1);
  });

  // Catches: an answer that nobody can trace to the line that it follows.
  it('is named by the end of a turn that used it, by the lines as they were told', async () => {
    const lines = [line('Fixtures lie in the folder specimens.'), line('Weeks begin on Monday everywhere.')];
    const reply = { text: 'Fixtures are in the folder specimens.' };
    const kit = kitWith(() => lines, { replies: [reply, { text: 'Nothing more was found.' }, reply] });
    await kit.runner.send('Which fixtures lie in this project?', turnOptions);
    await kit.runner.send('And which others are there?', turnOptions);
    await kit.runner.send('Say where fixtures lie.', { ...turnOptions, mode: 'ask' });
    const used = ['Fixtures lie in the folder specimens.'];
    expect(ofType(kit.journal.events, 'turn-ended').map(({ memory }) => memory)).toEqual([used, undefined, used]);
    expect(kit.journal.state().turns.map(({ memory }) => memory)).toEqual([used, undefined, used]);
    await expectReplay(kit);
  });

  it('is not named where a line is too short to be forgotten in a log', async () => {
    const kit = kitWith(() => [line('Yarn 4.')], { replies: [{ text: 'It is built with yarn 4.' }] });
    await kit.runner.send('What builds it?', turnOptions);
    expect(ofType(kit.journal.events, 'turn-ended').map(({ memory }) => memory)).toEqual([undefined]);
  });

  it('never reaches the cloud where a fence keeps it here', async () => {
    const price = { input: 1, output: 1, source: 'table', date: '2026-11-21' } as const;
    const sent = async (fences: unknown) => {
      const kit = kitWith(() => [line('The merger is called Larch.')], { cloud: { price }, fences });
      await kit.runner.send('One.', { ...turnOptions, policy: 'cloud', cloud: 'sky/model' });
      return JSON.stringify(kit.requests).includes('Larch');
    };
    const fences = { rules: [{ paths: ['.dewpoint/memory.md'], verdict: 'local-only' }] };
    expect([await sent({}), await sent(fences)]).toEqual([true, false]);
  });
});
