import { formatSetting, type Setting } from './machine.ts';
import { describeRecord } from './run-tasks.ts';
import { isFalseAccept, type TaskRecord } from './results.ts';
import { armCells, compareStrategies, comparisonCells, shortModel, summarize, summaryCells } from './summary.ts';
import { formatColumns, formatMarkdown } from './table.ts';
import { describeSwitches, type TaskOptions } from './task-options.ts';

export interface Report {
  /** For the terminal. */
  readonly text: string;
  /** For a saved page, with a row for every task. */
  readonly markdown: string;
}

/** The results of a run of tasks, for people to read. */
export function reportOf(records: readonly TaskRecord[], options: TaskOptions, setting: Setting): Report {
  const summary = summaryCells(summarize(records));
  const comparison = comparisonCells(compareStrategies(records));
  const arms = armCells(records);
  const missed = records.filter((record) => !record.solved);
  const text = [
    formatColumns(summary, [3, 5, 6, 7, 8, 9, 10, 11, 12]),
    ...(comparison.length > 1 ? [formatColumns(comparison, [2])] : []),
    ...(arms.length > 1 ? [formatColumns(arms, [1, 2])] : []),
    ...(missed.length > 0 ? [`not solved:\n${missed.map((record) => `  ${describeRecord(record)}`).join('\n')}`] : []),
  ].join('\n\n');
  const markdown = [
    `# Tasks, ${options.split === 'all' ? 'both halves' : `the ${options.split} half`}`,
    `${formatSetting(setting)}\n\n${conditions(options)}`,
    formatMarkdown(summary),
    ...(comparison.length > 1 ? [formatMarkdown(comparison)] : []),
    ...(arms.length > 1 ? [formatMarkdown(arms)] : []),
    formatMarkdown(recordCells(records)),
  ].join('\n\n');
  return { text, markdown: `${markdown}\n` };
}

function conditions(options: TaskOptions): string {
  const switches = describeSwitches(options);
  const time = `${options.maxMinutes} minutes a task at most`;
  return `Seed ${options.seed}; ${time}; ${switches === '' ? 'as users get it' : `switched: ${switches}`}.`;
}

function recordCells(records: readonly TaskRecord[]): readonly (readonly string[])[] {
  return [
    ['task', 'model', 'strategy', 'solved', 'status', 'found by', 's', 'steps', 'actions', 'remarks'],
    ...records.map((record) => [
      record.task,
      shortModel(record.model),
      record.strategy,
      record.solved ? 'yes' : 'no',
      `${record.status}: ${record.reason}`,
      record.arm ?? '',
      record.seconds.toFixed(1),
      String(record.steps),
      String(record.actions),
      remarksOn(record),
    ]),
  ];
}

function remarksOn(record: TaskRecord): string {
  const remarks = [
    isFalseAccept(record) ? 'false accept' : '',
    record.confidence === 'weak-tests' ? 'weak tests' : '',
    record.guarded.length > 0 ? `guarded: ${record.guarded.join(' ')}` : '',
    record.worse.length > 0 ? `worse: ${record.worse.join('; ').slice(0, 200)}` : '',
    record.fault === null ? '' : `not tried: ${record.fault.slice(0, 200)}`,
  ];
  return remarks.filter((remark) => remark !== '').join(', ');
}
