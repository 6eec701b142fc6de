import { describe, expect, it } from 'vitest';
import type { Part } from '@shared/models/model-messages.ts';
import { parseCalls } from '../../../../src/main/agent/calls/parse-calls.ts';
import type { CallStyle } from '../../../../src/main/agent/calls/call-types.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';

const tools = builtInTools(discoverTools(), { now: () => 0 });

const text = (value: string): readonly Part[] => [{ type: 'text', text: value }];

/** The calls that would run and those that would not, each as one readable line. */
function read(parts: readonly Part[], style: CallStyle): unknown {
  const { calls, errors } = parseCalls(parts, style, tools);
  return {
    calls: calls.map((call) => [call.tool.name, call.input]),
    errors: errors.map((error) => error.kind),
  };
}

const readCalc = { calls: [['read_file', { path: 'calc.py' }]], errors: [] };

describe('the text protocol', () => {
  it.each([
    ['a plain block', 'TOOL_CALL\n{"tool": "read_file", "input": {"path": "calc.py"}}\nEND_TOOL_CALL'],
    [
      'prose around it',
      'I will look.\nTOOL_CALL {"tool":"read_file","input":{"path":"calc.py"}} END_TOOL_CALL\nThen I go on.',
    ],
    ['no end mark', 'TOOL_CALL\n{"tool": "read_file", "input": {"path": "calc.py"}}'],
    ['a fence', '```json\n{"tool": "read_file", "input": {"path": "calc.py"}}\n```'],
    [
      'a fence inside the block',
      'TOOL_CALL\n```json\n{"tool": "read_file", "input": {"path": "calc.py"}}\n```\nEND_TOOL_CALL',
    ],
    ['single quotes', "TOOL_CALL\n{'tool': 'read_file', 'input': {'path': 'calc.py'}}\nEND_TOOL_CALL"],
    ['trailing commas', 'TOOL_CALL\n{"tool": "read_file", "input": {"path": "calc.py",},}\nEND_TOOL_CALL'],
    [
      'the tags of a model family',
      '<tool_call>\n{"name": "read_file", "arguments": {"path": "calc.py"}}\n</tool_call>',
    ],
    ['bare JSON', '{"name": "read_file", "arguments": {"path": "calc.py"}}'],
    ['bare JSON after a sentence', 'Let me see: {"tool": "read_file", "input": {"path": "calc.py"}}'],
    ['arguments as a string', 'TOOL_CALL {"tool": "read_file", "input": "{\\"path\\": \\"calc.py\\"}"}'],
    ['arguments beside the name', 'TOOL_CALL {"tool": "read_file", "path": "calc.py"}'],
    ['another name for the path', 'TOOL_CALL {"tool": "read_file", "input": {"file_path": "calc.py"}}'],
    ['another spelling of the tool', 'TOOL_CALL {"tool": "readFile", "input": {"path": "calc.py"}}'],
    ['the path as the sandbox shows it', 'TOOL_CALL {"tool": "read_file", "input": {"path": "/workspace/calc.py"}}'],
    ['null for what is not given', 'TOOL_CALL {"tool": "read_file", "input": {"path": "calc.py", "from": null}}'],
  ])('reads %s', (_name, value) => {
    expect(read(text(value), 'text')).toEqual(readCalc);
  });

  it('reads two calls of one answer in order', () => {
    const value =
      'TOOL_CALL {"tool":"read_file","input":{"path":"a"}} END_TOOL_CALL\nTOOL_CALL {"tool":"list_files","input":{}} END_TOOL_CALL';
    expect(read(text(value), 'text')).toEqual({
      calls: [
        ['read_file', { path: 'a' }],
        ['list_files', { path: '.' }],
      ],
      errors: [],
    });
  });

  it('reads code with braces and quotes inside the content', () => {
    const content = 'def f(d):\n    return "}" + d[\'{\']\n';
    const value = `TOOL_CALL ${JSON.stringify({ tool: 'write_file', input: { path: 'f.py', content } })} END_TOOL_CALL`;
    expect(read(text(value), 'text')).toEqual({ calls: [['write_file', { path: 'f.py', content }]], errors: [] });
  });

  it('runs nothing of a call that is cut at any character', () => {
    const whole = 'TOOL_CALL\n{"tool": "write_file", "input": {"path": "a.py", "content": "x = {1}"}}';
    for (let at = 'TOOL_CALL'.length; at < whole.length; at += 1) {
      expect(read(text(whole.slice(0, at)), 'text'), whole.slice(0, at)).toEqual({ calls: [], errors: ['cut'] });
    }
  });

  it('never fills in arguments that are not there', () => {
    expect(read(text('TOOL_CALL {"tool": "write_file", "input": {}}'), 'text')).toEqual({
      calls: [],
      errors: ['bad-arguments'],
    });
    expect(read(text('TOOL_CALL {"tool": "run_command"}'), 'text')).toEqual({ calls: [], errors: ['bad-arguments'] });
  });

  it('names the available tools when one is unknown', () => {
    const { errors } = parseCalls(text('TOOL_CALL {"tool": "open_browser", "input": {"url": "x"}}'), 'text', tools);
    expect(errors[0]?.message).toContain('read_file');
  });

  it('says what it repaired', () => {
    const { calls } = parseCalls(
      text("TOOL_CALL {'tool': 'read_file', 'input': {'filename': 'a', 'from': '3'}}"),
      'text',
      tools,
    );
    expect(calls[0]?.repairs).toEqual([
      'the JSON was repaired',
      '"filename" was read as "path"',
      '"from" was read as number',
    ]);
  });

  it('treats JSON that names no tool as prose', () => {
    expect(read(text('The config is {"debug": true, "level": 3}.'), 'text')).toEqual({ calls: [], errors: [] });
  });

  it('refuses a path that leads out of the project', () => {
    expect(read(text('TOOL_CALL {"tool": "read_file", "input": {"path": "../../etc/passwd"}}'), 'text')).toEqual({
      calls: [],
      errors: ['outside-project'],
    });
  });
});

describe('the reader of native calls', () => {
  it('takes the input as the provider parsed it', () => {
    expect(read([{ type: 'tool-call', id: '1', name: 'read_file', input: { path: 'calc.py' } }], 'native')).toEqual(
      readCalc,
    );
  });

  it('repairs arguments that are not quite JSON', () => {
    expect(
      read([{ type: 'tool-call', id: '1', name: 'read_file', input: null, raw: "{'path': 'calc.py',}" }], 'native'),
    ).toEqual(readCalc);
  });

  it('does not run arguments that broke off', () => {
    expect(
      read(
        [{ type: 'tool-call', id: '1', name: 'write_file', input: null, raw: '{"path": "a", "content": "x' }],
        'native',
      ),
    ).toEqual({ calls: [], errors: ['cut'] });
  });

  it('does not run a call without arguments as if they were empty', () => {
    expect(read([{ type: 'tool-call', id: '1', name: 'read_file', input: null, raw: 'null' }], 'native')).toEqual({
      calls: [],
      errors: ['bad-json'],
    });
  });

  it('reads a call that leaked into the text', () => {
    expect(read(text('{"name": "read_file", "arguments": {"path": "calc.py"}}'), 'native')).toEqual(readCalc);
  });

  it('leaves an answer in prose alone', () => {
    expect(read(text('The bug is in `add`: it should use { and }.'), 'native')).toEqual({ calls: [], errors: [] });
  });
});
