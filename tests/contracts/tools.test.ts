import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgentTools } from '../../src/main/tools/agents/agent-tools.ts';
import { inputJsonSchema } from '../../src/main/tools/define.ts';
import { fieldOf, isRecord } from '../../src/shared/unknown-value.ts';
import { builtInTools, createToolRegistry, discoverTools } from '../../src/main/tools/registry.ts';

const definitions = [...discoverTools().values()];
/** With the tools for agents, which are made for each session. */
const all = [...definitions, ...createAgentTools({ kinds: [] }, null)];

/** Inputs without a default: absent means that nothing is asked for. Each with its reason. */
const withoutDefault: Readonly<Record<string, string>> = {
  'ask_person default': 'no suggestion',
  'canvas_render path': 'one of content and path',
  'canvas_render content': 'one of content and path',
  'canvas_render title': 'no title',
  'http_request headers': 'none are added',
  'http_request body': 'no body',
  'list_files glob': 'every name',
  'read_git path': 'the whole project',
  'read_result path': 'the whole result',
  'read_result rows': 'all rows',
  'read_result search': 'all rows',
  'run_command why': 'no reason is shown',
  'run_command background': 'it is waited for',
  'run_command network': 'no network',
  'run_tests selector': 'all tests',
  'search path': 'everywhere',
  'search glob': 'every name',
  'services id': 'only for list',
  'symbol_info name': 'only for symbols',
  'agent_manage agent': 'only for list',
  'agent_manage text': 'only for message',
};

/** The smallest input that each tool accepts. Add the input of a new tool here. */
const inputs: Readonly<Record<string, unknown>> = {
  list_files: {},
  search_documents: { words: 'x' },
  read_git: { what: 'status' },
  run_notebook: { path: 'a.ipynb' },
  show_page: { path: 'a.pdf', page: 1 },
  find_symbol: { name: 'x' },
  outline: { path: 'a' },
  symbol_info: { what: 'symbols', path: 'a' },
  rename_symbol: { path: 'a', name: 'x', newName: 'y' },
  read_file: { path: 'a' },
  write_file: { path: 'a', content: '' },
  edit_file: { path: 'a', old: 'x', new: 'y' },
  apply_patch: { patch: '--- a/x\n+++ b/x\n' },
  delete_file: { path: 'a' },
  search: { pattern: 'x' },
  run_command: { command: 'true' },
  calculate: { code: '1 + 1' },
  run_tests: {},
  services: { action: 'list' },
  task_complete: { summary: 'done' },
  web_read: { url: 'https://example.org/', why: 'x' },
  web_search: { query: 'x', why: 'x' },
  http_request: { url: 'https://example.org/', method: 'GET', why: 'x' },
  propose_memory: { line: 'Be short.' },
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

  it('has a label for its smallest input', () => {
    const tool = builtInTools(new Map([[definition.name, definition]]), { now: () => 0 })[0];
    expect(tool?.label(inputs[definition.name])).toMatch(/\S/u);
  });

  it('refuses an input that is not an object', () => {
    expect(definition.input.safeParse('x').success).toBe(false);
  });
});

describe.each(all)('the inputs of $name', (tool) => {
  const { properties = {}, required = [] } = inputJsonSchema(tool);
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);

  // Bug: a model had to guess the meaning of `selector`, `why` and a time limit.
  it('are described, each with its default, and show no limit where there is none', () => {
    for (const [name, property] of fields) {
      expect(property, name).toHaveProperty('description', expect.stringMatching(/\S/u));
      const hasDefault = isRequired(name) || `${tool.name} ${name}` in withoutDefault;
      if (!hasDefault) expect(fieldOf(property, 'description'), name).toMatch(/\bdefault: \S/u);
    }
    expect(JSON.stringify(properties)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('have the unit in the name of each number that is not a count of lines, pages or levels', () => {
    const numbers = fields.filter(([, property]) => ['number', 'integer'].includes(String(fieldOf(property, 'type'))));
    for (const [name] of numbers)
      expect(name).toMatch(/(?:Seconds|Usd|Steps)$|^(?:from|to|line|page|depth|context|limit)$/u);
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
