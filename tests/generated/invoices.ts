import { z } from 'zod';
import type { Usage } from '../../src/shared/money/token-cost.ts';
import { costOf, priceSchema } from '../../src/shared/money/token-cost.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import file from './invoices.json';

const usageSchema = z.record(z.string(), z.unknown());
const fileSchema = z.object({
  about: z.string().startsWith('Synthetic'),
  references: z.record(z.string(), z.string()),
  invoices: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      note: z.string(),
      /** The usage as the service reports it in an answer. */
      usage: usageSchema,
      price: priceSchema.omit({ source: true, date: true }),
      /** The lines of an invoice: a quantity of something, and its price in US dollars a million. */
      lines: z.array(z.object({ what: z.string(), quantity: z.number().int(), perMillion: z.string() })),
      totalUsd: z.string(),
      /** The service refused the call. */
      status: z.number().int().optional(),
    }),
  ),
});

export type Invoice = z.infer<typeof fileSchema>['invoices'][number];

export const invoices: readonly Invoice[] = fileSchema.parse(file).invoices;

/** The usage that Dewpoint's provider counts for an invoice's answer, and its cost. */
export async function ourCost(invoice: Invoice): Promise<{ readonly usage: Usage; readonly costUsd: number }> {
  const definition = allProviders().get(invoice.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${invoice.kind}`);
  const door: typeof fetch = async () =>
    new Response(invoice.status === undefined ? bodyOf(invoice) : '{"error":{"message":"no"}}', {
      status: invoice.status ?? 200,
      headers: { 'content-type': invoice.status === undefined ? 'text/event-stream' : 'application/json' },
    });
  const provider = definition.create(providerDependencies({ secret: async () => 'a-key', fetch: door }), {
    id: 'x',
    settings: definition.settings.parse({ kind: invoice.kind, baseUrl: 'http://service.invalid/v1' }),
  });
  const parts = await collect(provider.stream(request('m'), new AbortController().signal));
  await provider.dispose();
  const ended = parts.at(-1);
  if (ended?.type !== 'ended') throw new Error(`${invoice.name}: the stream has no end`);
  const price = { ...invoice.price, source: 'invoice', date: '2026-11-21' };
  return { usage: ended.usage, costUsd: costOf(ended.usage, priceSchema.parse(price)) ?? Number.NaN };
}

/** Adds up the lines of an invoice in whole trillionths of a dollar. Shares no code with `ourCost`. */
export function addedUp({ lines }: Invoice): number {
  let sum = 0n;
  for (const { quantity, perMillion } of lines) {
    const [whole = '0', fraction = ''] = perMillion.split('.');
    sum += BigInt(quantity) * BigInt(whole + fraction.padEnd(6, '0').slice(0, 6));
  }
  return Number(sum) / 1e12;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;

/** An answer of two letters with the usage of an invoice, in the wire format of its service. */
function bodyOf({ kind, usage }: Invoice): string {
  switch (kind) {
    case 'anthropic': {
      const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
      return [
        { type: 'message_start', message: { ...message, usage: usage.start } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: usage.end },
        { type: 'message_stop' },
      ]
        .map(event)
        .join('');
    }
    case 'openai': {
      const response = { id: 'r1', object: 'response', model: 'm', status: 'completed', output: [], usage };
      const delta = {
        type: 'response.output_text.delta',
        item_id: 'm1',
        output_index: 0,
        content_index: 0,
        delta: 'Hi',
      };
      return event(delta) + event({ type: 'response.completed', response });
    }
    case 'gemini': {
      const content = { role: 'model', parts: [{ text: 'Hi' }] };
      return data({
        candidates: [{ content, index: 0, finishReason: 'STOP' }],
        modelVersion: 'm',
        usageMetadata: usage,
      });
    }
    default: {
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
      const said = data({ ...chunk, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] });
      return `${said}${data({ ...chunk, choices: [], usage })}data: [DONE]\n\n`;
    }
  }
}
