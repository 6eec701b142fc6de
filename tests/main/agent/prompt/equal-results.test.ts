import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/shared/models/model-messages.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const long = Array.from({ length: 60 }, (_, index) => `value_${index} = ${index * 7}`).join('\n');
const files = { 'a.py': `${long}\n`, 'b.py': 'y = 1\n', 'c.py': `${long}\n` };
const readA = call('read_file', { path: 'a.py' });
const other = call('read_file', { path: 'b.py' });
const done = call('task_complete', { summary: 'ok' });
const options = { ...turnOptions, strategy: 'loop' } as const;

const unchanged = /^Unchanged: /u;

/** The results of all calls as the last request shows them. */
function shown({ requests }: Pick<AgentKit, 'requests'>): readonly string[] {
  return (requests.at(-1)?.messages ?? []).flatMap(resultsOf);
}

function resultsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === 'tool-result' ? [part.text] : []));
}

async function session(replies: readonly Reply[], own: Partial<KitOptions> = {}): Promise<AgentKit> {
  const kit = createAgentKit({ replies, sandbox: { files }, ...own });
  await kit.runner.send('Look at the values and set them right.', options);
  return kit;
}

describe('a repeated read', () => {
  it.each([
    ['read_file', readA],
    ['read_file', call('read_file', { path: './a.py', from: 1 })],
    ['list_files', call('list_files', {})],
    ['search', call('search', { pattern: 'value_' })],
  ])('of %s is one line that says where its text stands, and replays', async (tool, again) => {
    const first = tool === 'read_file' ? readA : again;
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`folder/of/file_${index}.txt`, 'x']));
    const kit = await session([first, other, again, done], { sandbox: { files: { ...files, ...many } } });
    const [one = '', , two = ''] = shown(kit);
    expect(one).not.toMatch(unchanged);
    expect(two).toBe('Unchanged: word for word the result of the same call above, 2 answers back.');
    // The person sees the whole text, and so does a replay.
    const ended = ofType(kit.journal.events, 'tool-ended').filter((event) => event.tool === tool);
    expect(ended.at(-1)?.output.length).toBe(ended[0]?.output.length);
    await expectReplay(kit);
  });

  it('in the same answer points to the call beside it', async () => {
    const [read] = readA.calls ?? [];
    const kit = await session([{ calls: read === undefined ? [] : [read, read] }, done]);
    expect(shown(kit)[1]).toContain('above, in this answer');
    await expectReplay(kit);
  });

  it('of a short text is shown again, because that takes no more room', async () => {
    const kit = await session([other, readA, other, done]);
    expect(shown(kit)[2]).toBe(shown(kit)[0]);
  });

  it('of another range or file is shown', async () => {
    const kit = await session([
      readA,
      call('read_file', { path: 'a.py', from: 2 }),
      call('read_file', { path: 'c.py' }),
      done,
    ]);
    expect(shown(kit).filter((text) => unchanged.test(text))).toEqual([]);
  });

  it.each<[string, readonly Reply[]]>([
    ['an edit', [call('edit_file', { path: 'a.py', old: 'value_3 = 21', new: 'value_3 = 22' })]],
    ['a command that changes it', [call('run_command', { command: 'change' })]],
  ])('is shown whole after %s', async (_what, between) => {
    const kit = await session([readA, ...between, readA, done], {
      sandbox: {
        files,
        exec: ({ command }, sandbox) => {
          if (command === 'change') sandbox.put('a.py', `${long.replace('= 21', '= 22')}\n`);
          return {};
        },
      },
    });
    expect(shown(kit).at(-1)).toContain('value_3 = 22');
    await expectReplay(kit);
  });

  it('is shown whole after the person changed the file outside', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [
        readA,
        () => {
          kit.sandbox.put('a.py', `${long}\nnew_line = 1\n`);
          return readA;
        },
        done,
      ],
      sandbox: { files },
    });
    await kit.runner.send('Look at the values and set them right.', options);
    expect(shown(kit).at(-1)).toContain('new_line = 1');
    await expectReplay(kit);
  });

  it('is one line after a command that changed nothing, and after an undone change', async () => {
    const kit = await session(
      [
        readA,
        call('run_command', { command: 'true' }),
        readA,
        call('run_command', { command: 'there and back' }),
        done,
      ],
      { sandbox: { files, exec: () => ({}) } },
    );
    expect(shown(kit)[2]).toMatch(unchanged);
  });

  it('in a later turn is one line, because the conversation still shows the text', async () => {
    const kit = await session([readA, done, readA, done]);
    await kit.runner.send('Look again and set them right.', options);
    expect(shown(kit).at(-1)).toMatch(unchanged);
    await expectReplay(kit);
  });

  it('is shown again once the earlier text is summed up', async () => {
    const kit = createAgentKit({
      replies: [
        readA,
        other,
        { calls: [...(readA.calls ?? []), ...(done.calls ?? [])] },
        { text: 'Values were read.' },
        done,
      ],
      sandbox: { files },
    });
    await kit.runner.send('Look at the values and set them right.', options);
    await kit.runner.send('Go on.', { ...options, compact: true });
    expect(ofType(kit.journal.events, 'context-compacted')).toHaveLength(1);
    const left = shown(kit).filter((text) => text.includes('value_59'));
    expect(left).toHaveLength(1);
    expect(shown(kit).filter((text) => unchanged.test(text))).toEqual([]);
    await expectReplay(kit);
  });

  it('never points to a text that was shortened for room', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`f${index}.py`, `line of f${index}\n`.repeat(120)]),
    );
    const read = (index: number): Reply => call('read_file', { path: `f${index}.py` });
    const replies = Array.from({ length: 10 }, (_, index) => [read(index + 2), read(index)]).flat();
    const kit = createAgentKit({
      replies: [...replies, done],
      sandbox: { files: wide },
      model: { contextTokens: 8192 },
      countTokens: (request) => Math.ceil(JSON.stringify(request.messages).length / 3),
    });
    await kit.runner.send('Read everything about the moon and set it right.', { ...options, maxSteps: 60 });
    expect(ofType(kit.journal.events, 'observation-trimmed').length).toBeGreaterThan(0);
    let pointed = 0;
    for (const { messages } of kit.requests) {
      const texts = messages.flatMap(resultsOf);
      if (!texts.some((text) => unchanged.test(text))) continue;
      pointed += 1;
      const whole = new Set(texts.filter((text) => text.split('\n').length >= 120));
      expect(whole.size).toBeGreaterThanOrEqual(texts.filter((text) => unchanged.test(text)).length);
    }
    expect(pointed).toBeGreaterThan(0);
    await expectReplay(kit);
  });

  it('is shown whole when the earlier call failed', async () => {
    const kit = await session([call('read_file', { path: 'none.py' }), call('read_file', { path: 'none.py' }), done]);
    expect(shown(kit).filter((text) => unchanged.test(text))).toEqual([]);
  });
});
