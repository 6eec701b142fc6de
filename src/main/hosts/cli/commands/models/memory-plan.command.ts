import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { MemoryPlanInput } from '@shared/models/memory-plan-input.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { padRight } from '../../../text/columns.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** The options as commander returns them. */
export interface PlanArguments {
  readonly keys?: string;
  readonly context?: string;
  readonly kv?: string;
  readonly flash?: string;
  readonly ubatch?: string;
  readonly slots?: string;
  readonly unified?: boolean;
  readonly engine?: string;
  readonly card?: readonly string[];
  readonly json?: boolean;
}

const help = 'See: dewpoint plan --help';

/** What a model needs and what it would get, on this machine or on imagined cards. Downloads and loads nothing. */
export const plan: Command<[string | undefined, PlanArguments]> = async ({ core, terminal, signal }, model, args) => {
  if ((model === undefined) === (args.keys === undefined)) throw usageError('Name a model, or use --keys FILE.', help);
  const input = parsePlanInput(model, args);
  const keys = args.keys === undefined ? null : await readKeysFile(args.keys);
  const answer = await (await core()).plan({ ...input, keys }, { signal });
  if (args.json === true) terminal.out(jsonLine(answer));
  else terminal.out(describe(answer));
  return 0;
};

export function parsePlanInput(model: string | undefined, args: PlanArguments): MemoryPlanInput {
  const isPath = model !== undefined && (model.endsWith('.gguf') || model.startsWith('.'));
  if (model !== undefined && /\s/u.test(model) && !isPath)
    throw usageError(
      'Name one model, without blanks: this plans the memory that it needs.',
      `To plan a task: dewpoint run --plan ${JSON.stringify(model)}`,
    );
  return {
    model: model === undefined ? null : isPath && !model.startsWith('llama-cpp/') ? resolve(model) : model,
    keys: null,
    context: args.context === undefined ? null : whole('--context', args.context),
    kv: choice('--kv', args.kv ?? null, ['f16', 'q8_0', 'q4_0']),
    flash: choice('--flash', args.flash ?? 'on', ['on', 'off']) === 'on',
    ubatch: args.ubatch === undefined ? 512 : whole('--ubatch', args.ubatch),
    slots: args.slots === undefined ? 1 : whole('--slots', args.slots),
    unified: args.unified === true,
    engine: choice('--engine', args.engine ?? 'node-llama-cpp', ['llama-server', 'node-llama-cpp']) ?? 'node-llama-cpp',
    cards: args.card === undefined ? null : args.card.map(cardOf),
  };
}

async function readKeysFile(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(resolve(path), 'utf8');
  } catch {
    throw usageError(`${path} cannot be read.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    throw usageError(`${path} is not JSON.`);
  }
  throw usageError(`${path} is not a JSON object of header keys.`);
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000_000)
    throw usageError(`${option} takes a whole number from 1, not "${text}".`, help);
  return value;
}

function choice<const Value extends string>(
  option: string,
  given: string | null,
  allowed: readonly Value[],
): Value | null {
  if (given === null) return null;
  const found = allowed.find((value) => value === given);
  if (found === undefined) throw usageError(`${option} takes ${allowed.join(', ')}, not "${given}".`, help);
  return found;
}

/** `BYTES` or `BYTES,FREE_BYTES`. A number may have a unit (24GiB, 24GB). */
function cardOf(text: string): { readonly totalBytes: number; readonly freeBytes: number } {
  const [total, free, ...more] = text.split(',');
  const totalBytes = sizeOf(total ?? '');
  const freeBytes = free === undefined ? totalBytes : sizeOf(free);
  if (totalBytes === null || freeBytes === null || more.length > 0)
    throw usageError(
      `--card takes a size such as 24GiB, or a size and its free part such as 24GiB,20GiB, not "${text}".`,
      help,
    );
  if (totalBytes === 0) throw usageError('A card of 0 bytes cannot hold anything.', help);
  if (freeBytes > totalBytes) throw usageError(`The free part is larger than the card: "${text}".`, help);
  return { totalBytes, freeBytes };
}

const units: Readonly<Record<string, number>> = { '': 1, mib: 2 ** 20, gib: 2 ** 30, mb: 1e6, gb: 1e9 };

function sizeOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text.trim());
  const unit = units[(match?.[2] ?? '?').toLowerCase()];
  const size = match === null || unit === undefined ? Number.NaN : Math.floor(Number(match[1]) * unit);
  return Number.isSafeInteger(size) ? size : null;
}

function usualText(tokens: number): string {
  return `gets ${tokens} tokens of them. For more, set contextTokens in the settings of its provider.`;
}

function describe(answer: MemoryPlanAnswer): string {
  const { granted } = answer;
  const size = (value: number | null): string => (value === null ? 'unknown' : sizeText(value));
  const terms = answer.terms.map(
    (term) => [term.name, `${sizeText(term.bytes).padStart(10)}  ${term.certainty}: ${term.why}`] as const,
  );
  const rows: readonly (readonly [string, string])[] = [
    ...terms,
    [
      'total',
      `${size(answer.totalBytes).padStart(10)}  ${answer.certainty}${answer.why === null ? '' : `: ${answer.why}`}`,
    ],
    ['asked', answer.asked === null ? 'as much as is useful and fits' : `${answer.asked} tokens`],
    ['granted', `${granted.context} tokens, ${granted.kv} cache, ${granted.gpuLayers} layers on cards`],
    ['because', granted.reason],
    ...(answer.usual === null ? [] : [['a call', usualText(answer.usual)] as const]),
    ...(granted.copied === undefined
      ? []
      : [[granted.copied.name, `${sizeText(granted.copied.bytes).padStart(10)}  ${granted.copied.why}`] as const]),
    ...granted.warnings.map((warning) => ['warning', warning] as const),
    ...granted.devices.map(
      (device) =>
        [
          device.name,
          `${sizeText(Math.round(device.bytes))} of ${sizeText(device.budgetBytes)} that may be used, ${device.layers} layers`,
        ] as const,
    ),
    ...answer.devices.map(
      (device) =>
        [
          'memory',
          `${device.name}: ${sizeText(device.freeBytes)} free of ${sizeText(device.totalBytes)} (${device.source}, confidence ${device.confidence})${device.note === null ? '' : ` ${device.note}`}`,
        ] as const,
    ),
    ['host', `${sizeText(answer.host.freeBytes)} free of ${sizeText(answer.host.totalBytes)} (${answer.host.source})`],
    ...(answer.ruleOfThumb === null
      ? []
      : [
          [
            'thumb',
            `about ${answer.ruleOfThumb} tokens for such a card, as a rule of thumb; ${answer.why === null ? 'not used' : 'used, because nothing could be computed'}`,
          ] as const,
        ]),
  ];
  return rows.map(([name, value]) => `${padRight(seenName(name), 11)} ${seenWords(value)}\n`).join('');
}
