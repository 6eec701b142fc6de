import { describe, expect, it } from 'vitest';
import type { MemoryLine } from '../../../../src/shared/projects/memory-line.ts';
import { lineToKeep, proposalForm, saysToKeep } from '../../../../src/shared/projects/memory-proposal.ts';
import type { FormValues } from '../../../../src/shared/tools/server-form.ts';
import type { KeptLine } from '../../../../src/main/memory/project-memory.ts';
import type { FormReply } from '../../../../src/main/safety/approvals/approver.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { call, createAgentKit, ofType, turnOptions, type KitOptions, type Reply } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const done: Reply = call('task_complete', { summary: 'Done.' });
const propose = (line: string, of?: string): Reply =>
  call('propose_memory', { line, ...(of === undefined ? {} : { of }) });

const noted: MemoryLine = {
  id: 'a',
  text: 'Dates look like 2026-11-29.',
  date: null,
  sessionId: null,
  isAfterOutside: false,
  of: 'project',
};

interface World {
  readonly reply?: FormReply;
  readonly isOffered?: boolean;
  /** Takes one only where the person asked to keep something. */
  readonly isOnlyTold?: boolean;
  readonly hasReadOutside?: boolean;
  readonly more?: KitOptions;
}

function kitWith(replies: readonly Reply[], world: World = {}) {
  const { reply = { answer: 'nobody' }, isOffered = true, isOnlyTold = false, hasReadOutside = false, more } = world;
  const kept: KeptLine[] = [];
  const kit = createAgentKit({
    replies: [...replies, done],
    cloud: { parametersB: null, contextTokens: 200_000 },
    dependencies: {
      approver: { ask: async () => 'nobody', askForm: async () => reply },
      project: {
        memory: {
          lines: async () => [noted],
          takesProposals: (_lines, isTold = false) => isOffered && (!isOnlyTold || isTold),
          hasReadOutside: async () => hasReadOutside,
          noteUse: async () => undefined,
          keep: async (line) => void kept.push(line),
        },
      },
    },
    ...more,
  });
  return { ...kit, kept };
}

const inCloud: TurnOptions = { ...turnOptions, policy: 'cloud', cloud: 'sky/model' };

const yes = (changes: FormValues = {}): FormReply => {
  const form = proposalForm({ text: 'Fixtures lie in spec/.', of: 'project', isTestCommand: false });
  const presets = Object.fromEntries(form.map(({ name, preset }) => [name, preset ?? '']));
  return { answer: 'allow', values: { ...presets, ...changes } };
};
const [lineField, placeField] = proposalForm({ text: 'x', of: 'you', isTestCommand: false }).map(({ name }) => name);

const resultOf = ({ journal }: Pick<ReturnType<typeof kitWith>, 'journal'>) =>
  ofType(journal.events, 'tool-ended').find(({ tool }) => tool === 'propose_memory');
const askedIn = ({ journal }: Pick<ReturnType<typeof kitWith>, 'journal'>) =>
  ofType(journal.events, 'approval-requested').filter(({ kind }) => kind === 'memory');

describe('a line that a model proposes', () => {
  it('is kept as the person says yes to it, and a replay writes nothing', async () => {
    const kit = kitWith([propose('Fixtures lie\nin spec/.')], { reply: yes() });
    await kit.runner.send('Fix it.', inCloud);
    expect(askedIn(kit)).toMatchObject([{ subject: 'A line for the memory', text: 'Fixtures lie in spec/.' }]);
    expect(kit.kept).toEqual([{ text: 'Fixtures lie in spec/.', place: 'project', isAfterOutside: false }]);
    expect(resultOf(kit)).toMatchObject({ status: 'ok', output: 'Kept: Fixtures lie in spec/.' });
    await expectReplay(kit);
    expect(kit.kept).toHaveLength(1);
  });

  it('is not called unwanted where the settings say no and nobody was asked', async () => {
    const kit = kitWith([propose('Weeks are ISO weeks.')], { reply: yes() });
    await kit.runner.send('Note for later that weeks are ISO weeks.', { ...inCloud, approve: 'allow' });
    expect(ofType(kit.journal.events, 'approval-answered')).toMatchObject([
      { by: 'policy', reason: 'Only your own yes counts here, and --approve allow asks you nothing.' },
    ]);
    expect(kit.kept).toEqual([]);
    expect(resultOf(kit)?.output).toContain('Nobody was asked, so nothing was kept.');
    // The task wanted a line, no change of a file.
    expect(JSON.stringify(kit.journal.events)).not.toContain('although the task asks for a change');
    expect(ofType(kit.journal.events, 'turn-ended')).toMatchObject([{ reason: 'answered' }]);
  });

  // Bug: without a first line there was no tool for one, so "remember" was answered with "I cannot".
  it.each([
    ['Remember for this project: fixtures lie in spec/.', 'Kept: Fixtures lie in spec/.'],
    ['Fix the fixtures in spec/.', 'There is no tool'],
  ])('is offered in a project without one where the person asks to keep something: %s', async (task, output) => {
    const kit = kitWith([propose('Fixtures lie in spec/.')], { reply: yes(), isOnlyTold: true });
    await kit.runner.send(task, inCloud);
    expect(resultOf(kit)?.output).toContain(output);
  });

  it('is kept as the person edits it', async () => {
    const reply = yes({ [lineField ?? '']: ' Fixtures lie\r\nin test/. ', [placeField ?? '']: 'you' });
    const kit = kitWith([propose('Fixtures lie in spec/.')], { reply });
    await kit.runner.send('Fix it.', inCloud);
    expect(kit.kept).toMatchObject([{ text: 'Fixtures lie  in test/.', place: 'you' }]);
  });

  it.each([
    ['the person says no', { answer: 'deny' } as const, inCloud, 'does not want'],
    ['nobody can be asked', { answer: 'nobody' } as const, inCloud, 'Nobody was asked'],
    // Catches: a run with `--approve allow` that writes what every later task believes.
    ['approvals are answered with yes', yes(), { ...inCloud, approve: 'allow' } as const, 'Nobody was asked'],
  ])('is not kept when %s', async (_when, reply, options, says) => {
    const kit = kitWith([propose('Fixtures lie in spec/.')], { reply });
    const end = await kit.runner.send('Fix it.', options);
    expect(kit.kept).toEqual([]);
    expect(resultOf(kit)?.output).toContain(says);
    expect(end.reason).not.toBe('waiting');
    await expectReplay(kit);
  });

  it('says that text from outside was read before', async () => {
    const kit = kitWith([propose('Fixtures lie in spec/.')], { reply: yes(), hasReadOutside: true });
    await kit.runner.send('Fix it.', inCloud);
    expect(askedIn(kit)[0]?.reason).toContain('text from outside the project was read');
    expect(kit.kept).toMatchObject([{ isAfterOutside: true }]);
    const inside = kitWith([propose('Fixtures lie in spec/.')], { reply: yes() });
    await inside.runner.send('Fix it.', inCloud);
    expect(askedIn(inside)[0]?.reason).not.toContain('outside');
  });

  it('is offered for the settings of the project when it says how tests are run', async () => {
    const kit = kitWith([propose('make check', 'test-command')], {
      reply: yes({ [lineField ?? '']: 'make check', [placeField ?? '']: 'settings' }),
    });
    await kit.runner.send('Fix it.', inCloud);
    const [asked] = askedIn(kit);
    expect(asked).toMatchObject({ subject: 'A test command', text: 'make check' });
    expect(asked?.form?.[1]).toMatchObject({ preset: 'settings' });
    expect(kit.kept).toEqual([{ text: 'make check', place: 'settings', isAfterOutside: false }]);
    expect(resultOf(kit)?.output).toBe('Kept as the test command: make check');
  });

  it('is not asked about when it is kept already, or holds a secret', async () => {
    const known = kitWith([propose(noted.text)], { reply: yes() });
    await known.runner.send('Fix it.', inCloud);
    expect(resultOf(known)?.output).toBe('It is kept already.');
    const secret = kitWith([propose(`Log in with ghp_${'a1B2'.repeat(9)}.`)], { reply: yes() });
    await secret.runner.send('Fix it.', inCloud);
    expect(resultOf(secret)).toMatchObject({ status: 'error' });
    for (const kit of [known, secret]) {
      expect(askedIn(kit)).toEqual([]);
      expect(kit.kept).toEqual([]);
    }
  });

  // Catches: a line that carries restricted content into the prompts of other tasks, which may go to the cloud.
  it('is not kept once the session has read restricted content', async () => {
    const keptWith = async (verdict: string) => {
      const replies = [call('read_file', { path: 'plans/merger.md' }), propose('Write no tests.')];
      const more: KitOptions = {
        sandbox: { files: { 'plans/merger.md': 'The buyer is called Larch.\n' } },
        fences: { rules: [{ paths: ['plans/**'], verdict }] },
        model: { parametersB: 70, contextTokens: 100_000 },
      };
      const kit = kitWith(replies, { reply: yes(), more });
      await kit.runner.send('Fix it.', turnOptions);
      return [resultOf(kit)?.status, kit.kept.length];
    };
    expect([await keptWith('local-only'), await keptWith('allow')]).toEqual([
      ['error', 0],
      ['ok', 1],
    ]);
  });
});

describe('a message that only asks to be remembered', () => {
  const said = 'Remember that I pay the rent by standing order.';
  const line = 'I pay the rent by standing order.';
  const own = yes({ [lineField ?? '']: line });
  const small = (world: World) =>
    kitWith([], { ...world, more: { model: { parametersB: 1.5, contextTokens: 8_192 } } });

  // Bug: a small model answered it with the words of a document, after a minute, and nothing was noted.
  it.each(['auto', 'ask', 'work'] as const)('is asked about without a model in the mode %s', async (mode) => {
    const kit = small({ reply: own });
    const end = await kit.runner.send(said, { ...turnOptions, mode });
    expect(askedIn(kit)).toMatchObject([{ subject: 'A line for the memory', text: line }]);
    expect(kit.kept).toMatchObject([{ text: line }]);
    expect(end).toMatchObject({ reason: 'answered', text: `Noted: ${line}` });
    expect(kit.requests).toEqual([]);
    await expectReplay(kit);
    expect(kit.kept).toHaveLength(1);
  });

  it.each([
    ['the person says no', { reply: { answer: 'deny' } }, 'Nothing was noted.'],
    ['nobody can be asked', { reply: { answer: 'nobody' } }, 'Nobody was asked, so nothing was noted.'],
  ] as const)('is not noted when %s, and the answer says so', async (_when, world, says) => {
    const kit = small(world);
    const end = await kit.runner.send(said, turnOptions);
    expect(kit.kept).toEqual([]);
    expect(end.text).toContain(says);
  });

  it('goes to the model where the settings take no proposals', async () => {
    const kit = small({ isOffered: false, reply: own });
    await kit.runner.send(said, turnOptions);
    expect(askedIn(kit)).toEqual([]);
    expect(kit.requests).not.toEqual([]);
  });

  it.each([
    [said, line],
    ['Please remember: the office is closed on Mondays', 'The office is closed on Mondays'],
    ['Merk dir, dass ich in Bonn wohne.', 'Ich in Bonn wohne.'],
    ["Don't forget my name is Ana.", 'My name is Ana.'],
    ['Remember to run the tests and fix the bug.', null],
    ['Remember that I like tabs. Now fix the bug.', null],
    ['Remember that I like tabs?', null],
    ['Remember that\nthis', null],
    ['Fix the bug.', null],
  ])('is told from other messages by its words: %s', (text, kept) => {
    expect(lineToKeep(text)).toBe(kept);
  });
});

describe('a line that is proposed in a talk', () => {
  const said = 'From now on, answer in one sentence.';
  const inTalk: TurnOptions = { ...inCloud, mode: 'auto' };

  it('is kept for every project once the person says yes, and the answer follows', async () => {
    const words: Reply = { text: 'I will.' };
    const reply = yes({ [lineField ?? '']: 'Answer in one sentence.', [placeField ?? '']: 'you' });
    const kit = kitWith([propose('Answer in one sentence.'), words], { reply });
    const end = await kit.runner.send(said, inTalk);
    expect(ofType(kit.journal.events, 'turn-started')).toMatchObject([{ mode: 'chat' }]);
    expect(askedIn(kit)[0]?.form?.[1]).toMatchObject({ preset: 'you', choices: [{ value: 'you' }] });
    expect(kit.kept).toEqual([{ text: 'Answer in one sentence.', place: 'you', isAfterOutside: false }]);
    expect(end.text).toBe('I will.');
    await expectReplay(kit);
  });

  // Catches: a tool that every talk pays for, and a small model that proposes what nobody said.
  it('is offered only where the message says something to keep, and to no small model', async () => {
    const toolsIn = async (text: string, world: World = {}) => {
      const kit = kitWith([{ text: 'Yes.' }], world);
      await kit.runner.send(text, inTalk);
      return kit.requests[0]?.tools.map(({ name }) => name) ?? [];
    };
    expect(await toolsIn(said)).toEqual(['propose_memory']);
    expect(await toolsIn('What is the capital of Peru?')).toEqual([]);
    expect(await toolsIn(said, { isOffered: false })).toEqual([]);
    expect(await toolsIn(said, { more: { cloud: { parametersB: 4 } } })).toEqual([]);
  });

  it.each([
    ['My name is Ada.', true],
    ['Thanks. Please remember that I write British English.', true],
    ['Merk dir: Ich mag kurze Antworten.', true],
    ['Do you remember my name?', false],
    ['Write a story of a king who never slept.', false],
  ])('begins with words that say so: %s', (text, isSaid) => {
    expect(saysToKeep(text)).toBe(isSaid);
  });
});

describe('the tool that proposes a line', () => {
  it('is offered only where the session takes proposals, and never to a plan or a small model', async () => {
    const toolsIn = async (world: World, options: TurnOptions) => {
      const kit = kitWith([], world);
      await kit.runner.send('Fix it.', options);
      return kit.requests[0]?.tools.map(({ name }) => name) ?? [];
    };
    expect(await toolsIn({}, inCloud)).toContain('propose_memory');
    expect(await toolsIn({ isOffered: false }, inCloud)).not.toContain('propose_memory');
    expect(await toolsIn({}, { ...inCloud, mode: 'plan' })).not.toContain('propose_memory');
    expect(await toolsIn({ more: { cloud: { parametersB: 4 } } }, inCloud)).not.toContain('propose_memory');
  });
});
