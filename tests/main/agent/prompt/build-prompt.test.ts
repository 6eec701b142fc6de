import type { Attachment } from '../../../../src/shared/attachments/attachment.ts';
import type { CallStyle } from '../../../../src/main/agent/calls/call-types.ts';
import { describe, expect, it } from 'vitest';
import type { ModelInfo } from '../../../../src/shared/models/model-info.ts';
import {
  buildRequest,
  promptShape,
  renderEntries,
  requestBytes,
} from '../../../../src/main/agent/prompt/build-prompt.ts';
import { promptBytes } from '../../../../src/main/agent/prompt/token-estimate.ts';
import type { Entry } from '../../../../src/main/recipes/conversation-entries.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { inputJsonSchema } from '../../../../src/main/tools/define.ts';
import { isAdded } from '../../../../src/main/agent/prompt/tool-descriptions.ts';
import { createAgentTools } from '../../../../src/main/tools/agents/agent-tools.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import { call, createAgentKit, loopModel, turnOptions } from '../../../fakes/agent-kit.ts';

// The other tools appear only after the user connected or switched on something.
const tools = builtInTools(discoverTools(), { now: () => 0 }).filter((tool) => !isAdded(tool));
const work = { mode: 'work', canExecute: true } as const;
const small = (capabilities: Partial<ModelInfo['capabilities']>): ModelInfo => ({
  ...loopModel,
  parametersB: 1.5,
  contextTokens: 8192,
  capabilities: { ...loopModel.capabilities, tools: false, ...capabilities },
});
const options = { seed: null, temperature: 0, cacheKey: 'k' };

/**
 * Counts three bytes as a token, which is safe: English and JSON of this kind have about four with every tokenizer that
 * was tried.
 */
function safeTokens(info: ModelInfo): number {
  const { messages, tools: specs } = buildRequest(promptShape(info, tools, work), [], info, options);
  const text =
    JSON.stringify(messages.map((message) => message.parts)) + (info.capabilities.tools ? JSON.stringify(specs) : '');
  return Buffer.byteLength(text) / 3;
}

const roomy = (style: CallStyle) => ({ style, roomForAttached: 1000, seesImages: true });
const picture: Attachment = {
  kind: 'image',
  name: 'a.png',
  mediaType: 'image/png',
  width: 640,
  height: 480,
  blob: { sha256: 'a'.repeat(64), bytes: 3 },
};

describe('the prompt of a small model', () => {
  it.each([
    ['grammar', small({ grammar: true })],
    ['text', small({})],
  ])('holds system text and tools in under 500 tokens with calls by %s', (_style, info) => {
    expect(safeTokens(info)).toBeLessThan(500);
  });

  it('has native definitions without what only a large model uses', () => {
    const info = small({ tools: true });
    const { tools: specs } = buildRequest(promptShape(info, tools, work), [], info, options);
    expect(JSON.stringify(specs)).not.toContain('"maxLength"');
    expect(specs.map((spec) => spec.name)).toContain('edit_file');
    expect(safeTokens(info)).toBeLessThan(800);
  });

  it('mentions no network under a grammar, which would fill it in, and does so otherwise', () => {
    const inputsOf = (info: ModelInfo): readonly string[] => {
      const { tools: specs, messages } = buildRequest(promptShape(info, tools, work), [], info, options);
      const [line = ''] = /^run_command\(.*$/mu.exec(JSON.stringify(messages).replaceAll('\\n', '\n')) ?? [];
      const command = specs.find(({ name }) => name === 'run_command')?.inputSchema.properties ?? {};
      return [...Object.keys(command), ...(line.includes('network') ? ['told of'] : [])];
    };
    expect(inputsOf(small({ grammar: true }))).toEqual(['command', 'why']);
    const all = ['command', 'why', 'timeoutSeconds', 'background', 'network'];
    expect(inputsOf(small({ tools: true }))).toEqual(all);
    expect(inputsOf({ ...loopModel, parametersB: 70 })).toEqual(all);
    expect(inputsOf(small({}))).toEqual(['told of']);
    const { tools: specs } = buildRequest(promptShape(loopModel, tools, work), [], loopModel, options);
    expect(JSON.stringify(specs)).not.toContain('forLarge');
  });

  it('requires a grammar when the engine can use one, even beside native calls', () => {
    expect(promptShape(small({ grammar: true, tools: true }), tools, work).style).toBe('grammar');
    expect(promptShape(small({ tools: true }), tools, work).style).toBe('native');
    expect(promptShape(small({}), tools, work).style).toBe('text');
    // Whether a server follows a schema is unknown until it was tried.
    expect(promptShape(small({ schema: true }), tools, work).style).toBe('text');
  });
});

describe('the prompt of a large model', () => {
  // Bug: a model that sees no pictures was offered the tool that shows a page as one, and each call of it was a lost step.
  it('offers a picture only to a model that sees it', () => {
    const all = builtInTools(discoverTools(), { now: () => 0 });
    const offers = (images: boolean): boolean =>
      promptShape({ ...loopModel, capabilities: { ...loopModel.capabilities, images } }, all, work).tools.some(
        ({ name }) => name === 'show_page',
      );
    expect([offers(true), offers(false)]).toEqual([true, false]);
  });

  /** Catches: a prompt that grows, and a small or budgeted model that is offered what only a large one can use. */
  it('holds system text and every tool in 1,700 tokens', () => {
    const all = [...tools, ...createAgentTools({ kinds: [] }, null)];
    const namesFor = (info: ModelInfo): readonly string[] =>
      promptShape(info, all, work).tools.flatMap(({ name }) => (/agent|plan/u.test(name) ? [name] : []));
    const { messages, tools: specs } = buildRequest(promptShape(loopModel, all, work), [], loopModel, options);
    // With `gpt-tokenizer` (o200k), a token has 4.1 bytes in the tools and 4.4 in the text.
    const tokens = Buffer.byteLength(JSON.stringify(messages)) / 4.4 + Buffer.byteLength(JSON.stringify(specs)) / 4.1;
    expect(tokens).toBeLessThan(1700);
    const changing = specs.filter(({ name }) => all.find((tool) => tool.name === name)?.access === 'write');
    expect(changing.map(({ name }) => name)).toEqual(['apply_patch', 'edit_file', 'write_file']);
    expect(namesFor(loopModel)).toEqual(['update_plan', 'spawn_agent', 'agent_manage']);
    expect(namesFor(small({ tools: true }))).toEqual([]);
    expect(namesFor({ ...loopModel, driving: { toolBudget: 8 } })).toEqual([]);
  });

  it('says when to commit, and describes each argument of the tools for agents', () => {
    const { system } = promptShape(loopModel, tools, work);
    expect(system).toContain('Commit only when asked. Never discard changes that you did not make.');
    for (const tool of createAgentTools({ kinds: [] }, null))
      for (const [name, field] of Object.entries(inputJsonSchema(tool).properties ?? {}))
        if (!['action', 'maxSteps', 'maxUsd'].includes(name))
          expect(fieldOf(field, 'description')).toBeTypeOf('string');
  });

  it('says whether a guarded file is asked about or refused', () => {
    const system = (asksPerson: boolean): string => promptShape(loopModel, tools, { ...work, asksPerson }).system;
    expect(system(true)).toContain('Changing one asks the user.');
    expect(system(false)).toContain('Changing one is refused here.');
    expect(system(true)).not.toContain('{guard}');
  });

  // Bug: a first answer with a module and its tests was cut off in the middle of a call.
  it('asks for an answer as long as the model gives, within its window', () => {
    const cloud: ModelInfo = { ...loopModel, where: 'cloud', contextTokens: 200_000 };
    const thinking = { ...cloud, capabilities: { ...cloud.capabilities, reasoning: true } };
    const most = (info: ModelInfo): number =>
      buildRequest(promptShape(info, tools, work), [], info, options).maxOutputTokens;
    expect([most(cloud), most({ ...cloud, outputTokens: 16_384 })]).toEqual([8192, 16_384]);
    expect([most(thinking), most({ ...thinking, outputTokens: 16_384 })]).toEqual([24_576, 32_000]);
    expect(most({ ...cloud, contextTokens: 16_000, outputTokens: 16_384 })).toBe(4000);
  });
});

describe('the drive of a model', () => {
  it('is what its probe or its user says, when its provider supports that', () => {
    const info: ModelInfo = {
      ...loopModel,
      driving: {
        calls: 'text',
        promptForm: 'short',
        toolBudget: 3,
        temperature: 0.3,
        topP: 0.6,
        systemText: 'Be brief.',
      },
    };
    const shape = promptShape(info, tools, work);
    expect(shape).toMatchObject({ style: 'text', form: 'short', specs: [] });
    expect(shape.system).toContain('Be brief.');
    expect(shape.system.match(/^\w+\(.*\):/gmu)).toHaveLength(3);
    expect(shape.system).toMatch(/^edit_file[^]*^read_file[^]*^task_complete/mu);
    expect(buildRequest(shape, [], info, options)).toMatchObject({ temperature: 0.3, topP: 0.6 });
    expect(buildRequest(shape, [], info, { ...options, temperature: 0.4 })).toMatchObject({ temperature: 0.4 });
    for (const calls of ['grammar', 'schema'] as const)
      expect(promptShape({ ...info, driving: { calls } }, tools, work).style).toBe('native');
    const held = { ...small({ schema: true }), driving: { calls: 'schema' as const } };
    const request = buildRequest(promptShape(held, tools, work), [], held, options);
    expect(request.output).toEqual({ type: 'tool-calls' });
    expect(request.tools.map(({ name }) => name)).toContain('edit_file');
    expect(JSON.stringify(request.messages)).toContain('Answer with one call');
    // A small model would write a file with the name from an example.
    expect(JSON.stringify(request.messages)).not.toContain('NAME');
  });

  it('leaves out the tools that quote when a model writes files whole', () => {
    const told = (driving: NonNullable<ModelInfo['driving']>): readonly string[] =>
      [
        ...promptShape({ ...loopModel, driving: { calls: 'text', ...driving } }, tools, work).system.matchAll(
          /^(\w+)\(/gmu,
        ),
      ]
        .map(([, name = '']) => name)
        .filter((name) => ['edit_file', 'apply_patch', 'write_file'].includes(name));
    expect(told({ edits: 'whole-file' })).toEqual(['write_file']);
    expect(told({ edits: 'whole-file', toolBudget: 2, promptForm: 'short' })).toEqual(['write_file']);
    expect(told({ edits: 'search-replace' })).toContain('edit_file');
  });
});

it('a plan and a read-only sandbox get no tool that changes anything', () => {
  for (const about of [
    { mode: 'plan', canExecute: true },
    { mode: 'work', canExecute: false },
  ] as const) {
    const shape = promptShape(loopModel, tools, about);
    expect(shape.tools.map((tool) => tool.access).filter((access) => access !== 'read' && access !== 'end')).toEqual(
      [],
    );
  }
});

describe('the beginning of a prompt', () => {
  it.each([
    ['native', {}],
    ['text', { capabilities: small({}).capabilities }],
    ['grammar', { parametersB: 1.5, capabilities: small({ grammar: true }).capabilities }],
    ['schema', { ...small({ schema: true }), driving: { calls: 'schema' as const } }],
  ])('stays the same byte for byte from step to step (%s)', async (_style, model) => {
    const text = (name: string, input: unknown): { text: string } => ({
      text: `So.\nTOOL_CALL\n${JSON.stringify({ tool: name, input })}\n`,
    });
    const say = _style === 'text' ? text : call;
    const kit = createAgentKit({
      model,
      replies: [
        say('read_file', { path: 'a.py' }),
        say('search', { pattern: 'x' }),
        say('write_file', { path: 'b.py', content: 'y\n' }),
        say('no_such_tool', {}),
        say('run_command', { command: 'ls' }),
        say('task_complete', { summary: 'ok' }),
      ],
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('done');
    expect(kit.requests).toHaveLength(6);
    kit.requests.slice(1).forEach((request, index) => {
      const before = kit.requests[index];
      expect(request.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
      expect(request.tools).toEqual(before?.tools);
      expect(request.cacheKey).toBe(before?.cacheKey);
    });
  });
});

describe('the function renderEntries', () => {
  const entry: Entry = {
    type: 'assistant',
    seq: 1,
    parts: [
      { type: 'text', text: 'Two.' },
      { type: 'tool-call', id: 'p1', name: 'read_file', input: { path: 'a' }, raw: '{"path":"a"}' },
      { type: 'tool-call', id: 'p2', name: 'nonsense', input: {} },
    ],
    calls: [
      {
        toolCallId: 't1',
        tool: 'read_file',
        input: { path: 'a' },
        result: { text: 'A', isError: false, keepTokens: null },
      },
    ],
  };

  it('gives every native call a result, even one that was never run', () => {
    const [, first, second] = renderEntries([entry], roomy('native'));
    expect(first?.parts[0]).toMatchObject({ type: 'tool-result', id: 'p1', text: 'A' });
    expect(second?.parts[0]).toMatchObject({ type: 'tool-result', id: 'p2', isError: true });
  });

  it('shows a model without native calls what another one did with them', () => {
    const [said, results] = renderEntries([entry], roomy('text'));
    // The entry holds only the arguments. As text, the call needs the tool's name, too.
    expect(said?.parts).toEqual([
      {
        type: 'text',
        text: [
          'Two.\nTOOL_CALL\n{"tool":"read_file","input":{"path":"a"}}\n',
          '\nTOOL_CALL\n{"tool":"nonsense","input":{}}\n',
        ].join(''),
      },
    ]);
    expect(results).toEqual({ role: 'user', parts: [{ type: 'text', text: 'TOOL_RESULT read_file SUCCESS\nA' }] });
  });

  it('shows a model held to a schema its calls as it wrote them, and results as text', () => {
    const held = { ...entry, parts: entry.parts.slice(1, 2) };
    const [said, results] = renderEntries([held], roomy('schema'));
    expect(said).toEqual({
      role: 'assistant',
      parts: [{ type: 'text', text: '{"tool":"read_file","input":{"path":"a"}}' }],
    });
    expect(results).toEqual({ role: 'user', parts: [{ type: 'text', text: 'TOOL_RESULT read_file SUCCESS\nA' }] });
  });

  // Catches: images of old results that stay in every prompt, and images sent to a model that cannot see them.
  it.each(['native', 'text'] as const)('shows the images of a result after it (%s), until it is shortened', (style) => {
    const call0 = entry.calls[0];
    if (call0 === undefined) throw new Error('no call');
    const pictures = [{ attachment: picture, bytes: Buffer.from('AAAA', 'base64') }];
    const imagesOf = (keepTokens: number | null, seesImages: boolean): number => {
      const result = { text: 'A', isError: false, keepTokens, pictures };
      const shown = renderEntries([{ ...entry, calls: [{ ...call0, result }] }], { ...roomy(style), seesImages });
      const at = shown.findIndex(({ parts }) => parts.some(({ type }) => type === 'image'));
      if (at !== -1) expect([at, shown[at]?.role]).toEqual([shown.length - 1, 'user']);
      return shown.flatMap(({ parts }) => parts.filter(({ type }) => type === 'image')).length;
    };
    expect([imagesOf(null, true), imagesOf(100, true), imagesOf(null, false)]).toEqual([1, 0, 0]);
  });

  it('shows pages without text as pictures, to a model that sees them', () => {
    const blob = { sha256: 'b'.repeat(64), bytes: 3 };
    const scans = [2, 5].map((page) => ({ page, blob, width: 10, height: 20 }));
    const document = { kind: 'pdf' as const, blob, pages: 5, read: 5, blank: 2, scans };
    const scanned = { kind: 'text' as const, name: 'plan.pdf', blob, document };
    const attached = [{ attachment: scanned, bytes: Buffer.from('one'), scans: [Buffer.from('AA'), null] }];
    const shown = (seesImages: boolean) =>
      renderEntries([{ type: 'user', seq: 1, text: 'Read it.', attached }], { ...roomy('native'), seesImages })
        .flatMap(({ parts }) => parts)
        .map((part) => (part.type === 'image' ? part.name : part.type === 'text' ? part.text : part.type));
    expect(shown(false)).toHaveLength(2);
    expect(shown(true).slice(1, 3)).toEqual([
      'Of plan.pdf, as data: these pages without text follow as pictures, in this order: 2.',
      'plan.pdf, page 2',
    ]);
    expect(shown(true)).toHaveLength(4);
  });

  it('shortens a trimmed result, and says by how much', () => {
    const call0 = entry.calls[0];
    if (call0 === undefined) throw new Error('no call');
    const long = { ...call0, result: { text: 'b'.repeat(9000), isError: false, keepTokens: 100 } };
    const text = JSON.stringify(renderEntries([{ ...entry, calls: [long] }], roomy('native')));
    expect(text).toContain('bytes left out here');
    expect(text.length).toBeLessThan(1000);
  });
});

describe('the size of a prompt', () => {
  const asked: readonly Entry[] = [
    {
      type: 'user',
      seq: 1,
      text: 'Färbe es.',
      attached: [{ attachment: picture, bytes: Buffer.from('AAAA', 'base64') }],
    },
    {
      type: 'assistant',
      seq: 2,
      parts: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', id: 'c', name: 'read_file', input: { path: 'a.py' } },
      ],
      calls: [
        {
          toolCallId: 't',
          tool: 'read_file',
          input: { path: 'a.py' },
          result: { text: 'x = 1', isError: false, keepTokens: null },
        },
      ],
    },
  ];

  it.each([
    ['native calls', small({ tools: true })],
    ['a grammar', small({ grammar: true })],
    ['a schema', small({ schema: true })],
    ['text', small({})],
  ])('is the size of the request with %s, without building it', (_style, info) => {
    const shape = promptShape(info, tools, work);
    expect(requestBytes(shape, asked, info)).toBe(promptBytes(buildRequest(shape, asked, info, options)));
    expect(requestBytes(shape, [], info)).toBeLessThan(requestBytes(shape, asked, info));
  });
});
