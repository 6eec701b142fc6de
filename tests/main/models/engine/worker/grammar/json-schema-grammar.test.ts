import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  grammarForChoice,
  grammarForSchema,
} from '../../../../../../src/main/models/engine/worker/grammar/json-schema-grammar.ts';
import { toolCallSchema } from '../../../../../../src/main/models/engine/worker/grammar/tool-call-schema.ts';

/** The faults of a grammar: names without a rule, and rules that are written twice. */
function looseEnds(grammar: string): readonly string[] {
  const rules = grammar
    .trim()
    .split('\n')
    .map((line) => line.split(' ::= '));
  const defined = rules.map(([name]) => name ?? '');
  const bodies = rules.map(([, body]) =>
    (body ?? '').replace(/"(?:[^"\\]|\\.)*"/g, ' ').replace(/\[(?:[^\]\\]|\\.)*\]/g, ' '),
  );
  const used = new Set(bodies.flatMap((body) => body.match(/[a-z][a-z0-9-]*/g) ?? []));
  const twice = defined.filter((name, index) => defined.indexOf(name) !== index);
  return [
    ...[...used].filter((name) => !defined.includes(name)),
    ...twice,
    ...defined.filter((name) => name !== 'root' && !used.has(name)),
  ];
}

describe('the grammar for a schema', () => {
  it('closes every rule for each schema of zod', () => {
    const schemas = [
      z.object({ path: z.string(), from: z.number().int().optional(), why: z.enum(['a', 'b']) }),
      z.object({ a: z.string().optional(), b: z.number().optional(), c: z.boolean().optional() }),
      z
        .array(z.union([z.string(), z.null(), z.object({ x: z.literal('x') })]))
        .min(1)
        .max(3),
      z.object({ text: z.string().max(20), any: z.unknown(), map: z.record(z.string(), z.number()) }),
      z.object({
        get child() {
          return z.array(z.object({ name: z.string() }));
        },
      }),
      z.object({}),
      z.string().nullable(),
    ];
    for (const schema of schemas) expect(looseEnds(grammarForSchema(z.toJSONSchema(schema)))).toEqual([]);
  });

  it('closes a schema that refers to itself', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    expect(looseEnds(grammarForSchema(tree))).toEqual([]);
  });

  it('requires required fields, and allows the others to be absent', () => {
    const grammar = grammarForSchema({
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'null' } },
      required: ['b'],
    });
    expect(grammar).toContain('root-value ::= "{" ws (root-value-pair1 root-value-rest2 | root-value-pair2) ws "}"');
    expect(grammar).toContain('root-value-rest2 ::= "," ws root-value-pair2');
  });

  it('allows any JSON for a schema that it does not know', () => {
    for (const schema of [{}, { type: 'strange' }, { $ref: '#/nowhere' }])
      expect(looseEnds(grammarForSchema(schema))).toEqual([]);
  });
});

describe('the grammar for a choice', () => {
  it('quotes characters that would end a literal', () => {
    expect(grammarForChoice(['a"b', 'c\\b', 'd\ne'])).toBe('root ::= "a\\"b" | "c\\\\b" | "d\\ne"\n');
  });
});

describe('the schema of tool calls', () => {
  it('keeps references of each tool inside its own schema', () => {
    const inner = { type: 'object', properties: { x: { $ref: '#/$defs/p' } }, $defs: { p: { type: 'string' } } };
    const schema = toolCallSchema([
      { name: 'one', inputSchema: inner },
      { name: 'two', inputSchema: inner },
    ]);
    expect(JSON.stringify(schema)).toContain('"#/$defs/tool1/$defs/p"');
    expect(looseEnds(grammarForSchema(schema))).toEqual([]);
  });
});
