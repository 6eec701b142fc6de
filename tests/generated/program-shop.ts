import type { ConnectedToolSpec } from '../../src/main/tools/connected/connected-tool-spec.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';

interface Order {
  readonly id: number;
  readonly customer: string;
  readonly status: string;
  readonly total: number;
  readonly lines: readonly object[];
}

/** An order of a shop on a tool server. The same id always gives the same order. */
export function orderOf(id: number): Order {
  const lines = Array.from({ length: 5 }, (_, at) => ({
    article: `article-${(id * 7 + at) % 40}`,
    name: `A thing of the kind that is number ${(id + at) % 12} in the catalog`,
    count: ((id + at) % 4) + 1,
    price: ((id * 13 + at * 5) % 90) + 0.5,
    warehouse: 'hall 3, row 14, shelf 2',
  }));
  const total = lines.reduce((sum, line) => sum + line.count * line.price, 0);
  const status = ['open', 'sent', 'paid', 'returned'][id % 4] ?? 'open';
  return { id, customer: `customer-${id % 9}`, status, total, lines };
}

const spec = (tool: string, properties: object): ConnectedToolSpec => ({
  name: `shop__${tool}`,
  server: 'shop',
  tool,
  description: `${tool.replace('_', ' ')} of the shop.`,
  inputSchema: { type: 'object', properties, additionalProperties: false },
  leaves: true,
  readsFiles: false,
});

const specs = [
  spec('get_order', { id: { type: 'integer' } }),
  spec('list_orders', { page: { type: 'integer' } }),
  spec('set_status', { id: { type: 'integer' }, status: { type: 'string' } }),
];

/** Calls `sent` for each call that arrives. */
export function shopTools(sent: (tool: string, input: unknown) => void): ConnectedTools {
  return {
    offered: async () => specs,
    call: async ({ tool }, input) => {
      sent(tool, input);
      const { id = 0, page = 1 } = isRecord(input) ? input : {};
      const from = (Number(page) - 1) * 20;
      const result =
        tool === 'list_orders'
          ? Array.from({ length: 20 }, (_, at) => orderOf(from + at))
          : tool === 'get_order'
            ? orderOf(Number(id))
            : { id, ok: true };
      return { status: 'ok', output: JSON.stringify(result) };
    },
  };
}
