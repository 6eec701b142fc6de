import type { CardPlan } from '../../../src/main/models/engine/card-plan.ts';
import type { CardFacts } from '../../../src/main/models/machine/card-facts.ts';
import type { Hardware } from '../../../src/main/models/machine/hardware.ts';
import { formatSetting, type Setting } from '../machine.ts';
import type { BenchRow } from '../rows.ts';
import { formatMarkdown } from '../table.ts';
import type { CardFile } from './card-bed.ts';
import type { CardStep } from './card-steps.ts';

/** Everything needed to understand on another machine what happened on a card. It has no path and no serial number. */
export interface CardReport {
  readonly setting: Setting;
  readonly engine: string;
  readonly hardware: Hardware;
  readonly facts: CardFacts;
  readonly plan: { readonly use: string | null; readonly reason: string | null; readonly advice: string | null };
  /** What the maker's tool says of the card apart from its memory; null where there is no tool. */
  readonly tool: string | null;
  readonly files: readonly Omit<CardFile, 'path'>[];
  readonly steps: readonly CardStep[];
}

export function planForReport({ use, reason, advice }: CardPlan): CardReport['plan'] {
  return { use: use === null || use === 'metal' ? use : use.id, reason, advice };
}

export function cardMarkdown(report: CardReport): string {
  const { setting, hardware, facts, plan, files, steps } = report;
  const cards = hardware.devices.map(({ name, totalBytes, freeBytes, source, confidence, note }) => [
    name,
    mib(totalBytes),
    mib(freeBytes),
    source,
    confidence,
    note ?? '',
  ]);
  return [
    '# A card under test',
    formatSetting(setting),
    `Engine: node-llama-cpp ${report.engine}, by ${plan.use ?? 'the processor'}. ${plan.reason ?? 'No card was found.'} ${plan.advice ?? ''}`.trim(),
    formatMarkdown([['card', 'MiB', 'free MiB', 'source', 'confidence', 'note'], ...cards]),
    `Driver: ${facts.nvidia?.driver ?? 'unknown'}, compute capability ${facts.nvidia?.capability ?? 'unknown'}.`,
    `The loader finds: ${facts.loadable.join(', ') || 'nothing of it'}. The engine looks at: ${facts.lookedUp.join(', ') || 'nothing of it'}.`,
    ...(report.tool === null ? [] : ['```', report.tool, '```']),
    formatMarkdown([
      ['model', 'MiB', 'read for a token, MiB'],
      ...files.map(({ name, bytes, activeBytes }) => [name, mib(bytes), activeBytes === null ? '' : mib(activeBytes)]),
    ]),
    formatMarkdown([
      ['step', 'model', 'ok', 'figures', 'what is wrong'],
      ...steps.map(({ step, model, isOk, figures, why }) => [
        step,
        model,
        isOk ? 'yes' : 'no',
        figuresText(figures),
        why ?? '',
      ]),
    ]),
  ].join('\n\n');
}

function figuresText(figures: CardStep['figures']): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value ?? 'unknown'}`)
    .join('; ');
}

function mib(bytes: number): string {
  return String(Math.round(bytes / 1024 / 1024));
}

/** One line for each check, over all models. */
export function cardRows(steps: readonly CardStep[]): readonly BenchRow[] {
  return [...new Set(steps.map(({ step }) => step))].map((step): BenchRow => {
    const own = steps.filter((one) => one.step === step);
    const wrong = own.filter(({ isOk }) => !isOk);
    const note = wrong.map(({ model, why }) => `${model}: ${why ?? ''}`).join('; ');
    return {
      figure: `card: ${step}`,
      value: own.length - wrong.length,
      unit: '',
      target: { atLeast: own.length },
      note: note === '' ? `of ${own.length}` : `of ${own.length}; ${note}`.slice(0, 300),
    };
  });
}
