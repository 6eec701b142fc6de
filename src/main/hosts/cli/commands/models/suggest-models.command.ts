import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { suggestMachineSchema } from '@shared/models/model-suggestion.ts';
import type { TextUse } from '@shared/models/model-info.ts';
import type {
  ModelSuggestions,
  ScoreBy,
  SuggestMachine,
  SuggestedModel,
  SuggestedReader,
} from '@shared/models/model-suggestion.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { padRight } from '../../../text/columns.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { sightText } from './models.command.ts';

interface SuggestArguments {
  readonly machine?: string;
  readonly json?: boolean;
}

/** The models of the catalog that fit this machine, or one that a file describes. Downloads nothing. */
export const suggestModels: Command<[SuggestArguments]> = async ({ core, terminal, signal }, args) => {
  const machine = args.machine === undefined ? null : await readMachine(args.machine);
  const answer = await (await core()).models.suggest({ machine }, { signal });
  terminal.out(args.json === true ? jsonLine(answer) : describeSuggestions(answer));
  return 0;
};

async function readMachine(path: string): Promise<SuggestMachine> {
  const example = '{"devices": [{"name": "RTX 4090", "totalBytes": 25757220864}], "host": {"totalBytes": 34359738368}}';
  const text = await readFile(resolve(path), 'utf8').catch(() => null);
  if (text === null) throw usageError(`${path} cannot be read.`);
  try {
    return suggestMachineSchema.parse(JSON.parse(text));
  } catch (error) {
    throw usageError(`${path} does not describe a machine: ${messageOf(error).slice(0, 200)}`, `Example: ${example}`);
  }
}

const roles = { coding: 'Coding', chat: 'Chat and pictures', quick: 'Small and quick' } as const;
const places = {
  card: 'on the card',
  'card-and-ram': 'on the card and in main memory',
  unified: 'in unified memory',
  ram: 'in main memory, on the processor',
} as const;
const measuredBy: Readonly<Record<ScoreBy, string>> = {
  outside: 'independent',
  mixed: 'several sources',
  rival: 'by a rival',
  maker: 'by its maker',
};

export function describeSuggestions({ machine, date, models, readers }: ModelSuggestions): string {
  const cards = machine.devices.map(({ name, totalBytes }) => `${name} (${sizeText(totalBytes)})`);
  const memory = `${sizeText(machine.host.totalBytes)} of main memory`;
  const head = `For ${[...cards, memory].join(', ')}. Catalog of ${date}.\n`;
  if (models.length === 0)
    return `${head}Nothing in the catalog fits. Use a cloud model, or the starter model for small fixes.\n`;
  return `${head}${models.map((model) => `\n${described(model)}`).join('')}${readers.map(describedReader).join('')}`;
}

const uses: Readonly<Record<TextUse, string>> = { vectors: 'Embeddings', scores: 'Reranking' };

function describedReader({ use, label, why, sizeBytes, license, source }: SuggestedReader): string {
  const size = sizeBytes === null ? 'unknown' : `about ${sizeText(sizeBytes)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['why', why],
    ['download', `${size}, license ${license ?? 'unknown'}`],
    ['get it', `dewpoint models pull ${source}`],
  ];
  const lines = rows.map(([name, value]) => `  ${padRight(name, 9)} ${value}\n`).join('');
  return `\n${uses[use]}: ${label}\n${lines}`;
}

function described(model: SuggestedModel): string {
  const size =
    model.sizeBytes === null ? 'unknown' : `${model.isSizeExact ? '' : 'about '}${sizeText(model.sizeBytes)}`;
  const sight = model.projector === undefined ? '' : `, ${sightText(model.projector.bytes)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['why', model.why],
    ['runs', places[model.place]],
    ['download', `${size}${sight}, license ${model.license ?? 'unknown'}`],
    ['context', `${model.contextTokens} tokens${model.isContextPlanned ? '' : ' (estimate)'}`],
    ['writes', perSecond(model.decodePerSecond) ?? `unknown: ${model.speedNote ?? 'not measured'}`],
    ['reads', perSecond(model.prefillPerSecond) ?? 'unknown: no model of this kind was measured here'],
    ...model.scores.map(({ bench, value, by }) => ['score', `${bench} ${value} (${measuredBy[by]})`] as const),
    ...[...model.limits, ...model.notes].map((note) => ['note', note] as const),
    model.readyAs === null
      ? ['get it', `dewpoint models pull ${model.source}`]
      : ['use it', `--local ${model.readyAs}`],
  ];
  const lines = rows.map(([name, value]) => `  ${padRight(name, 9)} ${value}\n`).join('');
  return `${roles[model.role]}: ${model.label} (${model.quantization})\n${lines}`;
}

function perSecond(count: number | null): string | null {
  return count === null ? null : `about ${count < 10 ? count.toFixed(1) : Math.round(count)} tokens per second`;
}
