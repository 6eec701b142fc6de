import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Part } from '@shared/models/model-messages.ts';
import { parseCalls } from '../../../../src/main/agent/calls/parse-calls.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';

const tools = builtInTools(discoverTools(), { now: () => 0 });

interface Meant {
  readonly tool: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** The intended calls, with arguments that hold everything that breaks call formats. */
const meant: readonly Meant[] = [
  { tool: 'read_file', input: { path: 'src/calc.py' } },
  { tool: 'read_file', input: { path: 'docs/naïve ü.md', from: 3, to: 40 } },
  { tool: 'list_files', input: { path: 'src', depth: 2 } },
  { tool: 'search', input: { pattern: 'def (add|sub)\\(', glob: '*.py' } },
  { tool: 'edit_file', input: { path: 'a.ts', old: "if (x) { return '}'; }", new: 'if (!x) {\n  return "{";\n}' } },
  { tool: 'write_file', input: { path: 'f.py', content: "def f(d):\n    return d[\"a\"] + '{'  # it's\n" } },
  { tool: 'write_file', input: { path: 'p.html', content: '<p class="x">1 < 2 && 3 > 2</p>' } },
  { tool: 'run_command', input: { command: 'grep -rn "TODO: \'x\'" src | head -5' } },
  { tool: 'run_command', input: { command: 'python -c "print({1: 2})"', timeoutSeconds: 30 } },
  { tool: 'task_complete', input: { summary: 'Fixed `add`: it used - where + was meant; 3 tests pass.' } },
];

type Form = (json: { readonly input: string; readonly whole: string }, call: Meant) => string;

const strings = ({ input }: Meant): readonly (readonly [string, string])[] =>
  Object.entries(input).map(([key, value]) => [key, String(value)]);

/**
 * What arrives when a template, its parser or the model itself fails. The forms are from bug reports of engines and
 * agents.
 */
const forms: Readonly<Record<string, Form>> = {
  'our block': ({ whole }) => `TOOL_CALL\n${whole}\nEND_TOOL_CALL`,
  'no end mark': ({ whole }) => `TOOL_CALL ${whole}`,
  'prose around': ({ whole }) => `I'll do it (as it's needed):\nTOOL_CALL ${whole} END_TOOL_CALL\nThen {I} wait.`,
  'a fence': ({ whole }) => `\`\`\`json\n${whole}\n\`\`\``,
  'a list in a fence': ({ whole }) => `\`\`\`json\n[${whole}]\n\`\`\``,
  'tags of Hermes': ({ whole }) => `<tool_call>\n${whole}\n</tool_call>`,
  'tags of Hermes, not closed': ({ whole }) => `<tool_call>\n${whole}`,
  'bare JSON': ({ whole }) => whole,
  'a trailing comma': ({ whole }) => `TOOL_CALL ${whole.slice(0, -1)},} END_TOOL_CALL`,
  'a brace too few': ({ whole }) => `TOOL_CALL ${whole.slice(0, -1)} END_TOOL_CALL`,
  'a brace too many': ({ whole }) => `TOOL_CALL ${whole}} END_TOOL_CALL`,
  'a comment in it': ({ whole }) => `TOOL_CALL ${whole.slice(0, -1)} /* done */} END_TOOL_CALL`,
  'raw line breaks in texts': ({ whole }) => `TOOL_CALL ${whole.replaceAll('\\n', '\n')} END_TOOL_CALL`,
  indented: (_json, call) => `TOOL_CALL ${JSON.stringify({ tool: call.tool, input: call.input }, null, 4)}`,
  'arguments as a text': ({ input }, { tool }) => `TOOL_CALL ${JSON.stringify({ tool, arguments: input })}`,
  'arguments beside the name': (_json, { tool, input }) => `TOOL_CALL ${JSON.stringify({ tool, ...input })}`,
  'the envelope of a server': ({ input }, { tool }) =>
    JSON.stringify({ type: 'function', function: { name: tool, arguments: input } }),
  'Llama: parameters': (_json, { tool, input }) => `<|python_tag|>${JSON.stringify({ name: tool, parameters: input })}`,
  'another spelling of the tool': ({ whole }, { tool }) =>
    `TOOL_CALL ${whole.replace(
      tool,
      tool.replaceAll(/_(\w)/gu, (_all, letter: string) => letter.toUpperCase()),
    )}`,
  'numbers as texts': (_json, call) =>
    `TOOL_CALL ${JSON.stringify({ tool: call.tool, input: Object.fromEntries(strings(call)) })}`,
  'Mistral: a list': ({ input }, { tool }) => `[TOOL_CALLS][{"name": "${tool}", "arguments": ${input}}]`,
  'Mistral: the name apart': ({ input }, { tool }) => `[TOOL_CALLS]${tool}[ARGS]${input}`,
  'gpt-oss': ({ input }, { tool }) =>
    `<|channel|>commentary to=functions.${tool} <|constrain|>json<|message|>${input}<|call|>`,
  Kimi: ({ input }, { tool }) =>
    `<|tool_call_begin|>functions.${tool}:0<|tool_call_argument_begin|>${input}<|tool_call_end|>`,
  DeepSeek: ({ input }, { tool }) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${tool}\n\`\`\`json\n${input}\n\`\`\`<｜tool▁call▁end｜>`,
  Functionary: ({ input }, { tool }) => `<function=${tool}>${input}</function>`,
  ReAct: ({ input }, { tool }) => `Thought: I look.\nAction: ${tool}\nAction Input: ${input}`,
  'Qwen3-Coder': (_json, call) =>
    `<tool_call>\n<function=${call.tool}>\n${strings(call)
      .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>`)
      .join('\n')}\n</function>\n</tool_call>`,
  invoke: (_json, call) =>
    `<invoke name="${call.tool}">${strings(call)
      .map(([key, value]) => `<parameter name="${key}">${value}</parameter>`)
      .join('')}</invoke>`,
  GLM: (_json, call) =>
    `<tool_call>${call.tool}\n${strings(call)
      .map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)
      .join('\n')}\n</tool_call>`,
  'Gemma: code': (_json, { tool, input }) =>
    `\`\`\`tool_code\n${tool}(${Object.entries(input)
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join(', ')})\n\`\`\``,
  'Gemma 4': (_json, call) =>
    `<|tool_call>call:${call.tool}{${strings(call)
      .map(([key, value]) => `${key}:<|"|>${value}<|"|>`)
      .join(',')}}<tool_call|>`,
  'a call of Python': (_json, { tool, input }) =>
    `[${tool}(${Object.entries(input)
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join(', ')})]`,
  'cut in the middle': ({ whole }) => `TOOL_CALL ${whole.slice(0, Math.floor(whole.length * 0.7))}`,
  'tags cut in the middle': ({ input }, { tool }) => `<function=${tool}>${input.slice(0, -4)}`,
};

/** Understood: exactly the intended arguments arrive. Asked: nothing runs, and the model learns why. */
function outcome(text: string, call: Meant): 'understood' | 'asked' | 'missed' | 'invented' {
  const parts: readonly Part[] = [{ type: 'text', text }];
  const { calls, errors } = parseCalls(parts, 'text', tools);
  if (calls.length === 0) return errors.length > 0 ? 'asked' : 'missed';
  const [first] = calls;
  const isMeant = calls.length === 1 && first?.tool.name === call.tool && isDeepStrictEqual(first.input, call.input);
  return isMeant ? 'understood' : 'invented';
}

describe('malformed calls', () => {
  const cases = Object.entries(forms).flatMap(([name, form]) =>
    meant.map((call) => {
      const { tool, input } = call;
      const text = form({ input: JSON.stringify(input), whole: JSON.stringify({ tool, input }) }, call);
      return { name, text, outcome: outcome(text, call) };
    }),
  );

  it('are understood as meant or asked for again, and never run with other arguments', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
    expect(cases.filter((one) => one.outcome === 'missed' || one.outcome === 'invented')).toEqual([]);
  });

  it('are asked for again only when they are cut or have two meanings', () => {
    const asked = new Set(cases.filter((one) => one.outcome === 'asked').map((one) => one.name));
    expect([...asked].toSorted()).toEqual([
      'a brace too few',
      'a comment in it',
      'a trailing comma',
      'cut in the middle',
      'raw line breaks in texts',
      'tags cut in the middle',
    ]);
    expect(cases.filter((one) => one.outcome === 'understood').length).toBeGreaterThanOrEqual(280);
  });
});

/** A text with every mark that begins or ends a call in one format or another. */
const marks =
  '# Title\n```python\nx = "</tool_call>"\n```\n```json\n{"name": "list_files"}\n```\nEND_TOOL_CALL ends it:\nTOOL_CALL {"tool": "list_files", "input": {}}\n';
const writing: Meant = { tool: 'write_file', input: { path: 'a.md', content: marks } };
const bearing = [
  'our block',
  'no end mark',
  'a fence',
  'tags of Hermes',
  'bare JSON',
  'raw line breaks in texts',
  'Mistral: the name apart',
  'gpt-oss',
  'Functionary',
  'Qwen3-Coder',
  'invoke',
] as const;

describe('a call whose text contains call marks', () => {
  it.each(bearing)('runs as meant or not at all, wherever it is cut: %s', (name) => {
    const { tool, input } = writing;
    const whole =
      forms[name]?.({ input: JSON.stringify(input), whole: JSON.stringify({ tool, input }) }, writing) ?? '';
    const ends = Array.from({ length: whole.length }, (_, at) => outcome(whole.slice(0, at + 1), writing));
    expect(ends.at(-1)).toMatch(/understood|asked/u);
    expect(ends.filter((end) => end === 'invented')).toEqual([]);
  });
});

describe('arguments that need a repair', () => {
  it.each([
    ['a quote that is none', "{'command': 'echo it's'}"],
    ['texts put together', '{"command": "rm -rf " + "build"}'],
    ['a list of words, which is no command line', '{"command": ["bash", "-lc", "pytest -q"]}'],
  ])('are asked for again when it would invent something: %s', (_name, raw) => {
    const { calls, errors } = parseCalls(
      [{ type: 'tool-call', id: '1', name: 'run_command', input: null, raw }],
      'native',
      tools,
    );
    expect({ calls, errors: errors.length }).toEqual({ calls: [], errors: 1 });
    expect(outcome(`TOOL_CALL {"tool": "run_command", "input": ${raw}} END_TOOL_CALL`, writing)).toBe('asked');
  });

  it('are accepted when it changes only the form', () => {
    const raw = "{command: 'grep -n \"a\" b\\tc', why: 'to see',}";
    const { calls } = parseCalls(
      [{ type: 'tool-call', id: '1', name: 'run_command', input: null, raw }],
      'native',
      tools,
    );
    expect(calls.map(({ input }) => input)).toEqual([{ command: 'grep -n "a" b\tc', why: 'to see' }]);
    const lines = { path: 'a.py', content: ['x = 1', 'y = 2'] };
    const listed = parseCalls([{ type: 'tool-call', id: '1', name: 'write_file', input: lines }], 'native', tools);
    expect(listed.calls.map(({ input }) => input)).toEqual([{ path: 'a.py', content: 'x = 1\ny = 2' }]);
  });
});
