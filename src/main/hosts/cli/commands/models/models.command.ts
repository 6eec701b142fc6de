import type { ModelChoice } from '@shared/models/model-choice.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { wordOfEffort } from '@shared/models/model-info.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { createDownloadTimeLeft } from '@shared/models/download-time-left.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import type { Terminal } from '../../../text/terminal.ts';
import { cardRows } from '../../reports/probe-card-rows.ts';
import { modelSettingsText, ownModelSettings } from './set-model.command.ts';
import { jsonLine, oneLine, seconds } from '../../../text/terminal.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { padRight, widest } from '../../../text/columns.ts';
import { sizeText } from '@shared/text/size-text.ts';

type Core = Awaited<ReturnType<CommandContext['core']>>;

export const listModels: Command<[{ readonly json?: boolean }]> = async ({ core, terminal }, { json }) => {
  const models = await (await core()).models.list();
  if (json === true) {
    terminal.out(jsonLine(models));
    return 0;
  }
  const width = Math.max(widest(models.map((model) => seenName(model.id))), 10);
  for (const model of models) {
    const size = model.sizeBytes === null ? '' : sizeText(model.sizeBytes);
    terminal.out(
      `${padRight(seenName(model.id), width)}  ${model.where.padEnd(5)}  ${model.state.padEnd(12)}  ${size.padStart(9)}  ${oneLine(model.note ?? '', model.state === 'unreachable' ? 300 : 160)}\n`,
    );
  }
  return 0;
};

export const showModel: Command<[string, { readonly json?: boolean }]> = async ({ core, terminal }, id, { json }) => {
  const { models, settings } = await core();
  const model = await models.show({ id, fit: true });
  const own = await ownModelSettings(settings, id);
  if (json === true) terminal.out(jsonLine({ ...model, set: own }));
  else terminal.out(describeModel(model, modelSettingsText(own)));
  return 0;
};

/** `own`: the user's settings for the model. Empty: none. */
export function describeModel(model: ModelEntry, own = ''): string {
  const { info } = model;
  const rows: readonly (readonly [string, string])[] = [
    ['model', seenName(model.id)],
    ['name', seenName(model.label)],
    ['runs', model.where],
    ['state', model.state],
    ['size', model.sizeBytes === null ? 'unknown' : sizeText(model.sizeBytes)],
    ['license', model.license ?? 'unknown'],
    ['context', info === null ? 'unknown' : `${info.contextTokens} tokens`],
    ['parameters', info === null || info.parametersB === null ? 'unknown' : `${info.parametersB} billion`],
    [
      'price',
      info === null || info.price === null
        ? 'unpriced'
        : `$${info.price.input} in, $${info.price.output} out per million tokens (${info.price.source}, ${info.price.date})`,
    ],
    ['can', info === null ? 'unknown' : describeCapabilities(info)],
    ['strategies', info === null ? 'unknown' : info.strategies.join(', ')],
    ...(model.fit === undefined || model.choices !== undefined
      ? []
      : [['would fit', model.fit ?? 'unknown: the header of the file is not known'] as const]),
    ...(model.quantization === undefined ? [] : [['file advice', model.quantization] as const]),
    ...(model.headerFrom === undefined ? [] : [['header', `from ${model.headerFrom.join('; ')}`] as const]),
    ...(model.choices ?? []).map((choice) => ['offers', choiceText(choice)] as const),
    ...(model.card === undefined ? [] : cardRows(model.card)),
    ...draftingRows(model),
    ...(own === '' ? [] : [['you set', own] as const]),
    ...(model.file === undefined ? [] : [['file', seenName(model.file.path)] as const]),
    ...(model.note === null ? [] : [['note', model.note] as const]),
    ...(model.advice ?? []).map(({ text }) => ['advice', text] as const),
  ];
  return rows.map(([name, value]) => `${padRight(name, 11)} ${seenWords(value)}\n`).join('');
}

/** The ways of drafting that a probe would compare, and the draft models in the catalog. */
function draftingRows({ id, info, card }: ModelEntry): readonly (readonly [string, string])[] {
  const drafting = info?.drafting;
  if (drafting === undefined) return [];
  const { ways, known } = drafting;
  const probe = `not compared yet: ${ways.join(', ')} (dewpoint models probe ${id})`;
  return [
    ...(card?.drafts === undefined ? [['drafts', probe] as const] : []),
    ...(known === undefined ? [] : [['drafts', `the catalog knows: ${known}`] as const]),
  ];
}

/** Capabilities by the model's lists and the settings. The thinking effort is shown after "think". */
function describeCapabilities({ capabilities, effort, efforts = [] }: ModelInfo): string {
  const { tools, images, reasoning, cache } = capabilities;
  const steps = efforts.length < 2 ? [] : [`of ${efforts.map(wordOfEffort).join(', ')}`];
  const set = effort === undefined ? [] : [`effort: ${wordOfEffort(effort)}`];
  const told = [...set, ...steps].join(' ');
  const thinks = told === '' ? 'think' : `think (${told})`;
  const known = [
    [tools, 'call tools'],
    [images, 'read images'],
    [reasoning, thinks],
    [cache, 'cache prompts'],
  ] as const;
  const can = known.filter(([has]) => has === true).map(([, words]) => words);
  return can.length === 0 ? 'answer in text' : can.join(', ');
}

function choiceText({ id, sizeBytes, projectorBytes, fit, isTaken }: ModelChoice): string {
  const sight = projectorBytes === null ? '' : `  ${sightText(projectorBytes)}`;
  return `${id}  ${sizeText(sizeBytes)}${sight}${isTaken ? '  (default)' : ''}  ${fit ?? 'its header could not be read'}`;
}

/** The projector is part of the download. Null: its size is not known. */
export function sightText(projectorBytes: number | null): string {
  return projectorBytes === null ? 'sees images' : `sees images (+${sizeText(projectorBytes)})`;
}

export const pullModel: Command<[string]> = async (context, id) => {
  await pull(context, id);
  return 0;
};

/** Downloads the local model of a run if it is known and not installed. Only run, chat, serve and pull do this. */
export async function ensureModel(
  context: CommandContext,
  options: Pick<RunOptions, 'local' | 'policy' | 'projectPath' | 'projectKey'>,
): Promise<void> {
  if (options.policy === 'cloud') return;
  const core = await context.core();
  const id = options.local ?? (await usualModel(core, options.projectKey ?? options.projectPath));
  // The core refuses an unknown model, with a reason.
  const model = await core.models.show({ id }).catch(() => null);
  if (model?.state === 'downloadable') await pull(context, id);
}

async function usualModel(core: Core, projectPath: string | undefined): Promise<string> {
  if (projectPath === undefined) return String(await core.settings.get({ key: 'local' }));
  const { own, usual } = await core.projects.settings({ projectPath });
  return own.local ?? usual.local;
}

async function pull({ core, terminal, signal, now }: CommandContext, id: string): Promise<void> {
  await announceDownload({ core, terminal }, id);
  let shown = '';
  let done = '';
  let writtenAt = -Infinity;
  const timeLeft = createDownloadTimeLeft();
  for await (const progress of await (await core()).models.pull({ id }, { signal })) {
    const share = progress.totalBytes === null ? '' : ` of ${sizeText(progress.totalBytes)}`;
    const left = leftText(timeLeft(progress, now()));
    const more = progress.text === '' ? '' : `, ${progress.text}`;
    const text = `${progress.phase} ${seenName(id)}: ${sizeText(progress.doneBytes)}${share}${left}${more}`;
    if (terminal.isLive) {
      terminal.clear();
      terminal.err(oneLine(text, terminal.columns - 1));
    } else if (progress.phase !== shown || now() - writtenAt > 5_000) {
      terminal.err(`${text}\n`);
      writtenAt = now();
    }
    shown = progress.phase;
    if (shown === 'done') done = progress.text;
  }
  endLine(terminal);
  // The name of the model here. Models that are not from `hf:` keep their name.
  if (id.startsWith('hf:')) terminal.out(`${seenName(done)}\n`);
}

function leftText(leftMs: number | null): string {
  if (leftMs === null) return '';
  return `, about ${leftMs < 100_000 ? seconds(leftMs) : `${Math.round(leftMs / 60_000)} min`} left`;
}

/** Shows the size and the license before the download. */
async function announceDownload(
  { core, terminal }: Pick<CommandContext, 'core' | 'terminal'>,
  id: string,
): Promise<void> {
  // The download refuses an unknown model, with a reason.
  const model = await (await core()).models.show({ id }).catch(() => null);
  if (model?.state !== 'downloadable') return;
  const size = model.sizeBytes === null ? '' : `, ${sizeText(model.sizeBytes)}`;
  const { choices = [] } = model;
  const more = choices.find(({ isTaken }) => isTaken)?.projectorBytes ?? null;
  const sight = more === null ? '' : `, ${sightText(more)}`;
  if (choices.length > 1) for (const choice of choices) terminal.err(`${seenWords(choiceText(choice))}\n`);
  if (model.note !== null && choices.length > 0) terminal.err(`${printable(model.note)}\n`);
  terminal.err(`${seenName(model.label)}${size}${sight}, license: ${seenName(model.license ?? 'unknown')}\n`);
}

function endLine(terminal: Terminal): void {
  if (terminal.isLive) terminal.clear();
}
