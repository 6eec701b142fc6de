import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { collect, createTestProvider, modelRequest, startEngine } from './support.ts';

let engine: LlamaEngine;
let provider: Provider;
beforeAll(async () => {
  engine = await startEngine();
  provider = await createTestProvider(engine);
});
afterAll(() => engine.dispose());

const word = z.string().max(10);
const schemas: Readonly<Record<string, z.ZodType>> = {
  'optional properties first, middle and last': z.object({
    a: word.optional(),
    b: z.number().int(),
    c: word.optional(),
    d: z.boolean(),
    e: z.null().optional(),
  }),
  'only optional properties': z.object({
    a: z.boolean().optional(),
    b: z.boolean().optional(),
    c: z.boolean().optional(),
  }),
  'nested arrays with limits': z.object({ rows: z.array(z.array(z.boolean()).min(1).max(2)).min(1).max(2) }),
  'unions and constants': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('x'), n: z.number().int() }),
    z.object({ kind: z.literal('y'), s: word }),
  ]),
  'enums with quotes and backslashes': z.object({ e: z.enum(['a"b', 'c\\d', 'é\nf', '日本']) }),
  'nullable and length': z.object({ s: z.string().min(3).max(6).nullable() }),
};

describe('an answer under a grammar', () => {
  it.each(Object.entries(schemas))('always fits its schema, however wild the sampling: %s', async (_name, schema) => {
    for (let seed = 0; seed < 4; seed += 1) {
      const request = modelRequest('smollm2-135m-instruct', 'Answer with anything.', {
        output: { type: 'json-schema', schema: z.toJSONSchema(schema) },
        temperature: 2.5,
        topP: 1,
        seed,
        maxOutputTokens: 300,
        cacheKey: 'fuzz',
      });
      const { text, ended } = await collect(provider.stream(request, new AbortController().signal));
      expect(ended.stopReason).toBe('stop');
      expect(schema.safeParse(JSON.parse(text)).error).toBeUndefined();
    }
  });

  it('contains whole calls of any of the tools', async () => {
    const input = z.object({
      path: word,
      lines: z.object({ from: z.number().int(), to: z.number().int().optional() }).optional(),
    });
    const tools = ['read', 'write', 'search'].map((name) => ({
      name,
      description: '',
      inputSchema: z.toJSONSchema(input),
    }));
    for (let seed = 0; seed < 6; seed += 1) {
      const request = modelRequest('smollm2-135m-instruct', 'Do something.', {
        output: { type: 'tool-calls' },
        tools,
        temperature: 2,
        seed,
        maxOutputTokens: 300,
      });
      const { parts } = await collect(provider.stream(request, new AbortController().signal));
      const call = parts.find((part) => part.type === 'tool-call');
      expect(['read', 'write', 'search']).toContain(call?.call.name);
      expect(input.safeParse(call?.call.input).error).toBeUndefined();
    }
  });
});
