import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { builtInTools, createToolRegistry, discoverTools } from '../../src/main/tools/registry.ts';

/** Inputs whose name says all, beside the tool's own sentence. Every word is paid for in each prompt. */
const plainNames: readonly string[] = [
  'path',
  'pattern',
  'ignoreCase',
  'from',
  'to',
  'filesOnly',
  'command',
  'patch',
  'question',
  'choices',
  'items',
  'status',
  'action',
];

const definitions = [...discoverTools().values()];

/** The smallest input that each tool accepts. Add the input of a new tool here. */
const inputs: Readonly<Record<string, unknown>> = {
  list_files: {},
  read_file: { path: 'a' },
  write_file: { path: 'a', content: '' },
  edit_file: { path: 'a', old: 'x', new: 'y' },
  apply_patch: { patch: '--- a/x\n+++ b/x\n' },
  delete_file: { path: 'a' },
  search: { pattern: 'x' },
  run_command: { command: 'true' },
  run_tests: {},
  services: { action: 'list' },
  task_complete: { summary: 'done' },
  web_read: { url: 'https://example.org/', why: 'x' },
  web_search: { query: 'x', why: 'x' },
  http_request: { url: 'https://example.org/', method: 'GET', why: 'x' },
  read_result: {},
  canvas_render: { kind: 'table', content: 'a\n1' },
  ask_person: { question: 'Which one?', choices: ['a', 'b'] },
  update_plan: { items: [{ text: 'a', state: 'open' }] },
};

describe.each(definitions)('tool $name', (definition) => {
  it('has a schema that every model API can take: an object without a reference', () => {
    const schema = z.toJSONSchema(definition.input, { io: 'input' });
    expect(schema.type).toBe('object');
    expect(JSON.stringify(schema)).not.toContain('$ref');
  });

  it('has a description that a small model can afford', () => {
    expect(definition.description.length).toBeLessThanOrEqual(120);
    expect(definition.name).toMatch(/^[a-z]+(_[a-z]+)*$/u);
  });

  // Bug: a model had to guess the meaning of `selector`, `why` and a time limit.
  it('describes each of its inputs, and shows no limit where there is none', () => {
    const { properties = {} } = z.toJSONSchema(definition.input, { io: 'input' });
    for (const [name, property] of Object.entries(properties))
      if (!plainNames.includes(name)) expect(property, name).toHaveProperty('description');
    expect(JSON.stringify(properties)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('has a label for its smallest input', () => {
    const tool = builtInTools(new Map([[definition.name, definition]]), { now: () => 0 })[0];
    expect(tool?.label(inputs[definition.name])).toMatch(/\S/u);
  });

  it('refuses an input that is not an object', () => {
    expect(definition.input.safeParse('x').success).toBe(false);
  });
});

describe('the built-in tools', () => {
  it('are exactly those that this test has an input for', () => {
    expect(definitions.map((definition) => definition.name).toSorted()).toEqual(Object.keys(inputs).toSorted());
  });

  it('fail to load when two share a name or a file exports none', () => {
    expect(() => createToolRegistry({ a: definitions[0], b: definitions[0] })).toThrow('two tools');
    expect(() => createToolRegistry({ a: {} })).toThrow('does not export');
  });
});
