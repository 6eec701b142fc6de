import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../../../../src/shared/models/model-messages.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ended, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = { 'a.py': 'x = 1\ny = 2\n', 'b.py': 'z = 3\n' };

interface Given {
  readonly name: string;
  readonly input?: unknown;
  readonly raw?: string;
  readonly id?: string;
}

function calls(...given: readonly Given[]): Reply {
  const parts = given.map((one, index) => {
    const made: ToolCallPart = { type: 'tool-call', id: `c${index}`, input: undefined, ...one };
    return { type: 'tool-call' as const, call: made };
  });
  return { stream: [...parts, ended('tool-calls', 10)] };
}

/** The results that the next request shows, in order. */
async function resultsOf(...given: readonly Given[]): Promise<{ kit: AgentKit; results: readonly string[] }> {
  const kit = createAgentKit({
    replies: [calls(...given), call('task_complete', { summary: 'ok' })],
    sandbox: { files, exec: ({ command }) => ({ stdout: `ran ${command}` }) },
  });
  await kit.runner.send('Set x to 2.', { ...turnOptions, strategy: 'loop', maxSteps: 4 });
  const parts = (kit.requests[1]?.messages ?? []).flatMap((message) => message.parts);
  return { kit, results: parts.flatMap((part) => (part.type === 'tool-result' ? [part.text] : [])) };
}

const read = (input: unknown): Given => ({ name: 'read_file', input });
const run = (input: unknown): Given => ({ name: 'run_command', input });

describe('a call with odd arguments', () => {
  it.each<[string, Given, RegExp]>([
    ['a number in place of a text', read({ path: 5 }), /\b5\b/u],
    ['null in place of a text', read({ path: null }), /not run.*"path"/u],
    ['a list in place of a text', read({ path: ['a.py', 'b.py'] }), /not run.*"path"/u],
    ['a number as text', read({ path: 'a.py', from: '2' }), /2: y = 2/u],
    ['null for what may be left out', read({ path: 'a.py', from: null }), /1: x = 1/u],
    ['an extra key', read({ path: 'a.py', reason: 'to see it' }), /1: x = 1/u],
    ['another name for the path', read({ file_path: 'a.py' }), /1: x = 1/u],
    ['no argument at all', read({}), /not run.*"path" is missing/u],
    ['a name that is not known', read({ where: 'a.py' }), /"path" is missing; "where" is no argument of it/u],
    ['JSON in a string', read('{"path": "a.py"}'), /1: x = 1/u],
    ['JSON in a string of JSON', { name: 'read_file', raw: JSON.stringify('{"path": "a.py"}') }, /1: x = 1/u],
    ['null as the arguments', read(null), /not run/u],
    ['a list as the arguments', read(['a.py']), /not run/u],
    ['nothing as the arguments', { name: 'read_file', raw: '' }, /not run/u],
    ['arguments that break off', { name: 'read_file', raw: '{"path": "a.p' }, /broke off/u],
    ['an empty path', read({ path: '' }), /not run.*"path"/u],
    ['a path out of the project', read({ path: '../x' }), /not run.*"path"/u],
    ['a whole path elsewhere', read({ path: '/etc/passwd' }), /not run.*"path"/u],
    ['a number below the least', read({ path: 'a.py', from: 0 }), /1: x = 1[\s\S]*"from" was 0; 1 was used/u],
    ['a number with a fraction', read({ path: 'a.py', from: 1.7 }), /"from" was 1\.7; 1 was used/u],
    ['no number where one belongs', read({ path: 'a.py', from: 'top' }), /not run.*"from"/u],
    ['a key of the prototype', { name: 'read_file', raw: '{"__proto__": {"path": "b.py"}, "path": "a.py"}' }, /x = 1/u],
    [
      'lines as a list',
      { name: 'edit_file', input: { path: 'a.py', old: ['x = 1'], new: ['x = 2'] } },
      /Edited a\.py/u,
    ],
    ['a missing text', { name: 'edit_file', input: { path: 'a.py', old: 'x = 1' } }, /not run.*"new"/u],
    [
      'an object as content',
      { name: 'write_file', input: { path: 'c.json', content: { a: 1 } } },
      /not run.*"content"/u,
    ],
    ['a list of command words', run({ command: ['ls', '-la'] }), /not run.*"command"/u],
    ['an empty command', run({ command: '' }), /not run.*"command"/u],
    ['a time limit as text', run({ command: 'true', timeoutSeconds: '30' }), /ran true/u],
    [
      'a time limit without sense',
      run({ command: 'true', timeoutSeconds: 99_999 }),
      /"timeoutSeconds" was 99999; 3600/u,
    ],
    ['yes in place of true', run({ command: 'true', background: 'yes' }), /not run.*"background"/u],
    ['one host in place of a list', run({ command: 'true', network: { hosts: 'pypi.org', why: 'x' } }), /network/u],
    ['a limit that is too large', { name: 'search', input: { pattern: 'x', limit: 9_999 } }, /"limit" was 9999; 500/u],
    ['a pattern that is none', { name: 'search', input: { pattern: '(' } }, /No match[\s\S]*plain text/u],
    ['true as text', { name: 'search', input: { pattern: 'X', ignoreCase: 'true' } }, /x = 1/u],
    [
      'a list as JSON text',
      { name: 'update_plan', input: { items: '[{"text": "a", "state": "open"}]' } },
      /^(?!.*not run)/u,
    ],
    ['texts in place of objects', { name: 'update_plan', input: { items: ['a', 'b'] } }, /not run.*items/u],
    ['a patch under the name that GPT models use', { name: 'apply_patch', input: { input: 'nothing' } }, /diff|hunks/u],
    ['a tool that does not exist', { name: 'no_such_tool', input: {} }, /no tool "no_such_tool".*read_file/u],
    ['a tool without a name', { name: '', input: {} }, /There is no tool ""/u],
    ['a tool in other letters', { name: 'ReadFile', input: { path: 'a.py' } }, /x = 1/u],
    ['a tool with a prefix', { name: 'functions.read_file', input: { path: 'a.py' } }, /x = 1/u],
  ])('runs as meant, or says in its own result what is wrong: %s', async (_what, given, said) => {
    const { kit, results } = await resultsOf(given, { name: 'list_files', input: {} });
    expect(results).toHaveLength(2);
    expect(results[0]).toMatch(said);
    expect(results[1]).toContain('a.py');
    expect(kit.journal.events.at(-1)?.type).toBe('turn-ended');
    await expectReplay(kit);
  });

  it('is answered without naming a tool that no prompt lists', async () => {
    const { results } = await resultsOf({ name: 'no_such_tool', input: {} });
    expect(results[0]).not.toContain('delete_file');
  });
});

describe('many calls in one answer', () => {
  it('each have a result, even if two have the same id', async () => {
    const { kit, results } = await resultsOf(
      { ...read({ path: 'a.py' }), id: 'same' },
      { ...read({ path: 'b.py' }), id: 'same' },
    );
    expect(results[0]).toContain('x = 1');
    expect(results[1]).toContain('z = 3');
    await expectReplay(kit);
  });

  it('all run in order, even if one of fifty is wrong', async () => {
    const given = Array.from({ length: 50 }, (_, index) => read(index === 25 ? {} : { path: `f${index}.py` }));
    const { kit, results } = await resultsOf(...given);
    expect(results).toHaveLength(50);
    expect(results[25]).toMatch(/not run.*"path"/u);
    expect(results[49]).toContain('f49.py');
    await expectReplay(kit);
  });
});
