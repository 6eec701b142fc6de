import { orderOf } from './program-shop.ts';

interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

/** A task of many calls, as a strong model solves it with calls and with a program. */
export interface ProgramTask {
  readonly name: string;
  /** Calls that can be made at once, in batches. Later batches depend on earlier ones. */
  readonly batches: readonly (readonly ToolCall[])[];
  readonly program: string;
  readonly announced: readonly { readonly tool: string; readonly most: number }[];
  /** The expected result of the program. */
  readonly result: unknown;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const calls = (name: string, inputs: readonly object[]): readonly ToolCall[] =>
  inputs.map((input) => ({ name, input }));
const orders = (count: number): readonly ToolCall[] =>
  calls(
    'shop__get_order',
    numbers(count).map((id) => ({ id })),
  );
const reads = (count: number): readonly ToolCall[] =>
  calls(
    'read_file',
    numbers(count).map((at) => ({ path: fileName(at) })),
  );
const getAll = (count: number): string =>
  `import json\norders = [one.json() for one in tools.parallel([("shop__get_order", {"id": n}) for n in range(${count})])]\n`;
const readAll = (count: number): string =>
  `texts = tools.parallel([("read_file", {"path": "notes/n%d.txt" % n}) for n in range(${count})])\n`;

function fileName(at: number): string {
  return `notes/n${at}.txt`;
}

/** The files of the workspace that the tasks are about. */
export function taskFiles(): Readonly<Record<string, string>> {
  const text = (at: number): string =>
    numbers(40)
      .map((line) => (line % 13 === at % 13 ? `TODO ${at}: look at this line again` : `line ${line} of note ${at}`))
      .join('\n');
  return Object.fromEntries(numbers(24).map((at) => [fileName(at), `${text(at)}\n`]));
}

const all = numbers(40).map(orderOf);
const todos = Object.values(taskFiles()).join('').split('TODO').length - 1;

export const programTasks: readonly ProgramTask[] = [
  {
    name: 'sum of 40 orders',
    batches: [orders(40)],
    program: `${getAll(40)}result = sum(order["total"] for order in orders)`,
    announced: [{ tool: 'shop__get_order', most: 40 }],
    result: all.reduce((sum, { total }) => sum + total, 0),
  },
  {
    name: 'the three dearest of 40 orders',
    batches: [orders(40)],
    program: `${getAll(40)}result = [order["id"] for order in sorted(orders, key=lambda order: -order["total"])[:3]]`,
    announced: [{ tool: 'shop__get_order', most: 40 }],
    result: [...all]
      .sort((left, right) => right.total - left.total)
      .flatMap(({ id }) => id)
      .slice(0, 3),
  },
  {
    name: 'orders by state, from three lists',
    batches: [
      calls(
        'shop__list_orders',
        [1, 2, 3].map((page) => ({ page })),
      ),
    ],
    program:
      'from collections import Counter\nresult = dict(Counter(order["status"] for page in tools.parallel([("shop__list_orders", {"page": n}) for n in (1, 2, 3)]) for order in page.json()))',
    announced: [{ tool: 'shop__list_orders', most: 3 }],
    result: { open: 15, sent: 15, paid: 15, returned: 15 },
  },
  {
    name: 'set the state of 20 orders',
    batches: [
      calls(
        'shop__set_status',
        numbers(20).map((id) => ({ id, status: 'sent' })),
      ),
    ],
    program: 'result = len(tools.parallel([("shop__set_status", {"id": n, "status": "sent"}) for n in range(20)]))',
    announced: [{ tool: 'shop__set_status', most: 20 }],
    result: 20,
  },
  {
    name: 'look orders up and set those that are open',
    batches: [
      orders(24),
      calls(
        'shop__set_status',
        numbers(6).map((at) => ({ id: at * 4, status: 'sent' })),
      ),
    ],
    program: `${getAll(24)}result = [tools.shop__set_status(id=order["id"], status="sent").json()["id"] for order in orders if order["status"] == "open"]`,
    announced: [
      { tool: 'shop__get_order', most: 24 },
      { tool: 'shop__set_status', most: 24 },
    ],
    result: [0, 4, 8, 12, 16, 20],
  },
  {
    name: 'count what is left to do in 24 files',
    batches: [reads(24)],
    program: `${readAll(24)}result = sum(text.count("TODO") for text in texts)`,
    announced: [{ tool: 'read_file', most: 24 }],
    result: todos,
  },
  {
    name: 'the longest of 24 files',
    batches: [reads(24)],
    program: `${readAll(24)}result = max(len(text.splitlines()) for text in texts)`,
    announced: [{ tool: 'read_file', most: 24 }],
    result: 40,
  },
  {
    name: 'a report of orders and notes in one file',
    batches: [
      [...orders(12), ...reads(12)],
      calls('write_file', [
        {
          path: 'report-1.txt',
          content: numbers(12)
            .map((id) => `${id}: x`)
            .join('\n'),
        },
      ]),
    ],
    program: `${getAll(12)}${readAll(12)}lines = ["%d: %s" % (order["id"], order["customer"]) for order in orders]\ntools.write_file(path="report-2.txt", content="\\n".join(lines))\nresult = len(lines)`,
    announced: [
      { tool: 'shop__get_order', most: 12 },
      { tool: 'read_file', most: 12 },
      { tool: 'write_file', most: 1 },
    ],
    result: 12,
  },
  {
    name: 'twelve commands and how they end',
    batches: [
      calls(
        'run_command',
        numbers(12).map((at) => ({ command: `head -c ${400 + at} notes/n${at}.txt; exit ${at % 3}` })),
      ),
    ],
    program:
      'result = [tools.run_command(command="head -c %d notes/n%d.txt; exit %d" % (400 + n, n, n % 3)).exit_code for n in range(12)]',
    announced: [{ tool: 'run_command', most: 12 }],
    result: numbers(12).map((at) => at % 3),
  },
  {
    name: 'twelve searches and what each found',
    batches: [
      calls(
        'search',
        numbers(12).map((at) => ({ pattern: `TODO ${at}:` })),
      ),
    ],
    program:
      'found = tools.parallel([("search", {"pattern": "TODO %d:" % n}) for n in range(12)])\nresult = [text.count("TODO") for text in found]',
    announced: [{ tool: 'search', most: 12 }],
    result: numbers(12).map((at) => numbers(40).filter((line) => line % 13 === at % 13).length),
  },
];
