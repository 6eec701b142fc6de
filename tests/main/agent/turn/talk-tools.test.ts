import { describe, expect, it } from 'vitest';
import type { ModelInfo } from '../../../../src/shared/models/model-info.ts';
import { textOf } from '../../../../src/shared/models/model-messages.ts';
import type { ConnectedTools } from '../../../../src/main/tools/connected/connected-tool.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import { createLateSandbox } from '../../../../src/main/sandbox/late-sandbox.ts';
import type { KitDependencies, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, loopModel, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const spec = (server: string, tool: string, description: string): ConnectedToolSpec => ({
  name: `${server}__${tool}`,
  server,
  tool,
  description,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  leaves: true,
  readsFiles: false,
});
const weather = [spec('weather', 'get_forecast', 'Returns the forecast for a city. More words.')];
const ownWeather: readonly ConnectedToolSpec[] = weather.map((one) => ({
  ...one,
  leaves: false,
  own: { source: 'home', file: 'weather.py', sha256: '', secrets: [], hosts: [], timeoutSeconds: 60 },
}));

const starter: Partial<ModelInfo> = {
  parametersB: 1.5,
  contextTokens: 8192,
  strategies: ['recipe'],
  capabilities: { ...loopModel.capabilities, tools: false, grammar: true },
};

const missing = { code: 'missing-sandbox', message: 'No container engine runs.', hint: 'Start Docker.' } as const;

interface World {
  /** No container can be started. */
  readonly isMissing?: boolean;
  readonly specs?: readonly ConnectedToolSpec[];
  readonly model?: Partial<ModelInfo>;
  readonly output?: string;
  readonly status?: 'ok' | 'error';
  readonly answer?: 'allow' | 'deny';
}

/** The sandbox of a talk: it only reads until something is run in it. `starts` counts its containers. */
function talkSandbox(isMissing = false) {
  const seen = { starts: 0 };
  const reading = { ...createMemorySandbox({ files: {} }), tier: 'read-only' as const };
  const none = { ...reading, description: { ...reading.description, missing } };
  const container = createMemorySandbox({ files: {}, exec: () => ({ stdout: '4\n' }) });
  const sandbox = createLateSandbox(reading, async () => {
    seen.starts += 1;
    return isMissing ? none : container;
  });
  return { sandbox, container, seen };
}

/** A talk that may compute. Each program prints 4. */
function computingTalk(replies: readonly Reply[], { model = {}, isMissing = false }: World = {}) {
  const { sandbox, container, seen } = talkSandbox(isMissing);
  const kit = createAgentKit({ replies, model, dependencies: { sandbox, tools: { computes: () => true } } });
  return { kit, container, seen, say: (text: string) => kit.runner.send(text, { ...turnOptions, mode: 'auto' }) };
}

function talkWith(
  replies: readonly Reply[],
  {
    specs = weather,
    model = {},
    output = '21 degrees',
    status = 'ok',
    isMissing = false,
    answer = 'allow',
  }: World = {},
) {
  const called: unknown[] = [];
  const offered = [...specs];
  const tiers: unknown[] = [];
  const { sandbox, seen } = talkSandbox(isMissing);
  const connected: ConnectedTools = {
    offered: async () => [...offered],
    call: async ({ tool }, input, how) => {
      called.push({ tool, input });
      tiers.push(how.sandbox?.tier);
      return { status, output };
    },
  };
  const dependencies: KitDependencies = { sandbox, tools: { connected }, approver: { ask: async () => answer } };
  const kit = createAgentKit({ replies, model, dependencies });
  const say = (text: string, more: object = {}) =>
    kit.runner.send(text, { ...turnOptions, mode: 'auto', approve: 'allow', ...more });
  const said = (at: number): string => kit.requests[at]?.messages.map((message) => textOf(message)).join('\n') ?? '';
  return { kit, called, offered, tiers, seen, say, said };
}

const forecast = (city: string): Reply => call('weather__get_forecast', { city });
/** What a small model says before it calls: which tool it is, and that the message wants it. */
const chosen: readonly Reply[] = [{ text: 'weather__get_forecast' }, { text: 'call get_forecast' }];

describe('a talk without a project', () => {
  it('lets a large model call a connected tool and answer from what it returned', async () => {
    const { kit, called, say } = talkWith([forecast('Oslo'), { text: 'It will be 21 degrees.' }]);
    expect(await say('What is the weather in Oslo?')).toMatchObject({
      reason: 'answered',
      text: 'It will be 21 degrees.',
    });
    expect(kit.requests[0]?.tools.map(({ name }) => name)).toEqual(['read_result', 'weather__get_forecast']);
    expect(called).toEqual([{ tool: 'get_forecast', input: { city: 'Oslo' } }]);
    await expectReplay(kit);
  });

  it('offers no tool of files or commands beside them', async () => {
    const text = { capabilities: { ...loopModel.capabilities, tools: false } };
    const { kit, said, say } = talkWith([{ text: 'Hm.' }], { model: text });
    await say('What is the weather in Oslo?');
    expect(said(0)).toContain('weather__get_forecast');
    expect(said(0)).not.toMatch(/read_file|run_command|task_complete/u);
    expect(kit.requests[0]?.output).toEqual({ type: 'text' });
  });

  it('asks a small model once which tool the message needs, and has it say the result', async () => {
    const { kit, called, say, said } = talkWith([...chosen, forecast('Oslo'), { text: '21 degrees in Oslo.' }], {
      model: starter,
    });
    expect(await say('What is the weather in Oslo?')).toMatchObject({
      reason: 'answered',
      text: '21 degrees in Oslo.',
    });
    expect(kit.requests[0]?.output).toEqual({
      type: 'choice',
      options: ['weather__get_forecast', 'explain', 'write_text', 'translate', 'calculate'],
    });
    expect(kit.requests[1]?.output).toEqual({ type: 'choice', options: ['call get_forecast', 'words'] });
    expect(kit.requests[2]?.tools.map(({ name }) => name)).toEqual(['weather__get_forecast']);
    expect(called).toHaveLength(1);
    expect(said(3)).toContain('Result: 21 degrees');
    await expectReplay(kit);
  });

  // Catches: a call that no window holds, because what stands below the talk was not counted.
  it('counts the tool that a small model is asked with, wherever the prompt has it', async () => {
    const sizes = async (fields: number): Promise<readonly (number | undefined)[]> => {
      const names = Array.from({ length: fields }, (_, at) => [`place_${at}`, { type: 'string' }] as const);
      const specs = weather.map((one) => ({
        ...one,
        inputSchema: { type: 'object', properties: Object.fromEntries(names) },
      }));
      const chosen = [{ text: 'weather__get_forecast' }, { text: 'call get_forecast' }];
      const answers = [...chosen, call('weather__get_forecast', {}), { text: '21 degrees.' }];
      const { kit, say } = talkWith(answers, { model: starter, specs });
      await say('What is the weather in Oslo?');
      return ofType(kit.journal.events, 'route-decided').map(({ features }) => features?.['promptTokens']);
    };
    const [small, large] = [await sizes(1), await sizes(50)];
    // The definition alone would be some 500 tokens; below the talk, it is there again in words.
    expect((large[2] ?? 0) - (small[2] ?? 0)).toBeGreaterThan(700);
    expect(large[3]).toBe(small[3]);
  });

  it('answers directly if a small model says that none is needed', async () => {
    const { kit, called, say } = talkWith([{ text: 'explain' }, { text: 'Sunlight is scattered.' }], {
      model: starter,
    });
    expect(await say('Why is the sky blue?')).toMatchObject({ text: 'Sunlight is scattered.' });
    expect([kit.requests[1]?.tools, kit.requests[1]?.output, called]).toEqual([[], { type: 'text' }, []]);
  });

  // Catches: a question that only shares a word with a tool asks the person for a call that nobody wanted.
  it('answers directly if a small model says, asked once more, that words do', async () => {
    const replies = [{ text: 'weather__get_forecast' }, { text: 'words' }, { text: 'Air rises and cools.' }];
    const { kit, called, say, said } = talkWith(replies, { model: starter });
    expect(await say('What is a weather front?')).toMatchObject({ text: 'Air rises and cools.' });
    expect(said(1)).toContain(
      'Tool: get_forecast: Returns the forecast for a city.\nMessage: What is a weather front?',
    );
    expect([kit.requests[2]?.tools, called]).toEqual([[], []]);
    await expectReplay(kit);
  });

  it('tells a small model what was asked before, so that a follow-up finds its tool', async () => {
    const replies = [
      ...chosen,
      forecast('Oslo'),
      { text: '21 degrees.' },
      ...chosen,
      forecast('London'),
      { text: '15 degrees.' },
    ];
    const { called, say, said } = talkWith(replies, { model: starter });
    await say('What is the weather in Oslo?');
    expect(await say('And in London?')).toMatchObject({ text: '15 degrees.' });
    expect(said(4)).toContain('What is the weather in Oslo?');
    expect(said(5)).toContain('Message before: What is the weather in Oslo?\nMessage: And in London?');
    expect(called).toHaveLength(2);
  });

  it('shows a small model also tools that share no word with the message', async () => {
    const { say, said } = talkWith([{ text: 'explain' }, { text: 'Ja.' }], { model: starter });
    await say('Wie warm wird es morgen in Ulm?');
    expect(said(0)).toContain('weather__get_forecast');
  });

  // Catches: a list that changes with each message, and a call whose tool stands before the whole talk. Both made a
  // small model read everything again.
  it('shows a small model what it has read before as it was, in the question, in a call and after it', async () => {
    const specs = [...weather, ...Array.from({ length: 16 }, (_, at) => spec('other', `tool_${at}`, `Does ${at}.`))];
    const { kit, say, said } = talkWith(
      [
        { text: 'explain' },
        { text: 'Water is wet.' },
        ...chosen,
        forecast('Oslo'),
        { text: '21 degrees.' },
        { text: 'explain' },
        { text: 'You are welcome to it.' },
      ],
      { model: starter, specs },
    );
    await say('Is water wet?');
    await say('What is the weather in Oslo?');
    await say('Who founded that city?');
    const list = (at: number): string =>
      said(at).split('A user asks:')[0]?.split('Before, the user')[0]?.trimEnd() ?? '';
    expect(list(0)).toContain('other__tool_15');
    expect([list(2), list(6)]).toEqual([list(0), list(0)]);
    const [before, during, after] = [said(1), said(4), said(7)];
    expect(during.startsWith(`${before}\nWater is wet.\nWhat is the weather in Oslo?`)).toBe(true);
    expect(during.slice(before.length)).toContain('Arguments: {"type":"object"');
    expect(after.startsWith(`${before}\nWater is wet.\nWhat is the weather in Oslo?`)).toBe(true);
    await expectReplay(kit);
  });

  it('says why a tool failed instead of making something up', async () => {
    const { say, said } = talkWith([...chosen, forecast('Oslo'), { text: 'The server is down.' }], {
      model: starter,
      status: 'error',
      output: 'No connection.',
    });
    expect(await say('What is the weather in Oslo?')).toMatchObject({ text: 'The server is down.' });
    expect(said(3)).toContain('No connection.');
  });

  it('tells a small model that the person denied the call, and goes on with the next message', async () => {
    const replies = [
      ...chosen,
      forecast('Oslo'),
      { text: 'You denied it.' },
      ...chosen,
      forecast('Rome'),
      { text: 'No.' },
    ];
    const { called, say, said } = talkWith(replies, { model: starter, answer: 'deny' });
    expect(await say('What is the weather in Oslo?', { approve: 'ask' })).toMatchObject({ text: 'You denied it.' });
    expect(said(3)).toMatch(/Result: .*(?:denied|declined|not allowed)/iu);
    await say('And in Rome?', { approve: 'ask' });
    expect(said(4)).toContain('What is the weather in Oslo?');
    expect(called).toEqual([]);
  });

  // Catches: an answer about London that a model makes from what the tool said about Oslo.
  it.each([{ model: {} }, { model: starter }])('tells a model which tool is off since it was called', async (one) => {
    const small = one.model === starter ? chosen : [];
    const replies = [...small, forecast('Oslo'), { text: '21 degrees.' }, { text: 'The weather is off.' }];
    const { kit, offered, say, said } = talkWith(replies, one);
    await say('What is the weather in Oslo?');
    const off = 'Not connected any more: weather__get_forecast.';
    expect(kit.requests.some((_, at) => said(at).includes(off))).toBe(false);
    offered.splice(0);
    expect(await say('And in London?')).toMatchObject({ text: 'The weather is off.' });
    expect(said(kit.requests.length - 1)).toContain(off);
    expect(kit.requests.at(-1)?.tools).toEqual([]);
    await expectReplay(kit);
  });

  it('costs not a token more where no tool is on, for a greeting, and with an assistant without tools', async () => {
    const assistant = { name: 'Plain', text: 'Be brief.', tools: 'off' } as const;
    const plain = createAgentKit({ replies: [{ text: 'Hello.' }] });
    await plain.runner.send('Hello!', { ...turnOptions, mode: 'auto' });
    const expected = JSON.stringify(plain.requests[0]);
    for (const model of [{}, starter]) {
      const { kit, say } = talkWith([{ text: 'Hello.' }], { model });
      await say('Hello!');
      expect(kit.requests).toHaveLength(1);
      expect(JSON.stringify(kit.requests[0]?.messages)).toBe(JSON.stringify(JSON.parse(expected).messages));
      const quiet = talkWith([{ text: 'Hm.' }], { model });
      await quiet.say('What is the weather in Oslo?', { assistant });
      expect(quiet.said(0)).not.toContain('weather__');
      expect(quiet.kit.requests[0]?.tools).toEqual([]);
    }
  });

  it('starts no container for a call to a server', async () => {
    const { called, seen, say } = talkWith([forecast('Oslo'), { text: 'It will be 21 degrees.' }]);
    await say('What is the weather in Oslo?');
    expect([called.length, seen.starts]).toEqual([1, 0]);
  });

  it('calls a server without a container engine, too', async () => {
    const { called, say } = talkWith([forecast('Oslo'), { text: 'It will be 21 degrees.' }], { isMissing: true });
    expect(await say('What is the weather in Oslo?')).toMatchObject({ text: 'It will be 21 degrees.' });
    expect(called).toHaveLength(1);
  });

  // Bug: the talk's sandbox only read, so a tool from a file was refused.
  it.each([{ model: {} }, { model: starter }])(
    'runs a tool from a file in a container that starts then',
    async (one) => {
      const small = one.model === starter ? chosen : [];
      const replies = [...small, forecast('Oslo'), { text: 'It will be 21 degrees.' }];
      const { kit, called, tiers, seen, say } = talkWith(replies, { ...one, specs: ownWeather });
      expect(await say('What is the weather in Oslo?')).toMatchObject({ text: 'It will be 21 degrees.' });
      expect([called.length, tiers, seen.starts]).toEqual([1, ['memory'], 1]);
      await expectReplay(kit);
    },
  );

  it('says what is missing where such a tool has no container, and does not run it', async () => {
    const world = { isMissing: true, specs: ownWeather };
    const { kit, called, say } = talkWith([forecast('Oslo'), { text: 'I could not.' }], world);
    await say('What is the weather in Oslo?');
    const said = 'weather__get_forecast did not run. No container engine runs. Start Docker.';
    expect(kit.journal.events).toContainEqual(expect.objectContaining({ type: 'notice-added', text: said }));
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain(said);
    expect(called).toEqual([]);
  });
});

describe('a talk that may compute', () => {
  const computed = call('calculate', { code: 'print(2 + 2)' });

  it('lets a large model run Python, and offers no other tool that runs something', async () => {
    const { kit, container, say } = computingTalk([computed, { text: 'It is 4.' }]);
    expect(await say('What is 2 plus 2?')).toMatchObject({ reason: 'answered', text: 'It is 4.' });
    expect(kit.requests[0]?.tools.map(({ name }) => name)).toEqual(['calculate', 'read_result']);
    expect(container.commands).toEqual([expect.stringContaining('python3 -c')]);
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain('exit code 0');
    await expectReplay(kit);
  });

  // Bug: its programs failed often, and then it made a result up.
  it('costs a small model not a token, which is not offered it', async () => {
    const plain = createAgentKit({ replies: [{ text: 'It is 4.' }], model: starter });
    await plain.runner.send('What is 2 plus 2?', { ...turnOptions, mode: 'auto' });
    const { kit, say } = computingTalk([{ text: 'It is 4.' }], { model: starter });
    expect(await say('What is 2 plus 2?')).toMatchObject({ text: 'It is 4.' });
    expect(JSON.stringify(kit.requests)).toBe(
      JSON.stringify(plain.requests).replaceAll(plain.journal.sessionId, kit.journal.sessionId),
    );
  });

  it('keeps the program away from the shell, whatever characters it has', async () => {
    const code = `print("'; touch x; echo '$(id)\u{1F600}")`;
    const { container, say } = computingTalk([call('calculate', { code }), { text: 'So it is.' }]);
    await say('What is 2 plus 2?');
    expect(container.commands[0]).not.toContain('touch x');
    expect(container.commands[0]).toContain(Buffer.from(code).toString('base64'));
  });

  it('says what is missing without a container, to the person too, and computes nothing', async () => {
    const { kit, container, say } = computingTalk([computed, { text: 'I could not.' }], { isMissing: true });
    await say('What is 2 plus 2?');
    const said = 'Nothing was computed. No container engine runs. Start Docker.';
    expect(kit.journal.events).toContainEqual(expect.objectContaining({ type: 'notice-added', text: said }));
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain(said);
    expect(container.commands).toEqual([]);
    await expectReplay(kit);
  });

  it('costs a greeting not a token, and starts no container for it', async () => {
    const { kit, seen, say } = computingTalk([{ text: 'Hello.' }]);
    await say('Hello!');
    expect(kit.requests[0]?.tools).toEqual([]);
    expect(kit.requests).toHaveLength(1);
    expect(seen.starts).toBe(0);
  });
});
