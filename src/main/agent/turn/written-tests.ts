import { wantsTests } from '@shared/text/task-kind.ts';
import { z } from 'zod';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { SuccessCheck } from '../../recipes/define.ts';
import { guardKind, mayBeAdded } from '../../safety/guarded-files.ts';
import { takeAction } from './take-action.ts';
import type { Turn } from './turn.ts';

const mostFiles = 20;
const python = /\.py$/u;
const script = /\.[cm]?js$/u;

/**
 * If nothing else judges a task, the tests that were written become the success check, also those that nobody asked for.
 * Null: none was written that can run here. Runs as an action, because a replay has no files.
 */
export async function checkOfWrittenTests(turn: Turn): Promise<SuccessCheck | null> {
  if (!wantsTests(turn.task) && turn.progress.okWrites === 0) return null;
  const command = await takeAction<string | null>(
    turn,
    {
      tool: 'find_written_tests',
      label: 'look for the tests that were written',
      input: {},
      run: async () => {
        const data = commandFor([...new Set(turn.files.changes.recorded().map(({ path }) => path))]);
        return { status: 'ok', output: data ?? 'No test file was written.', data };
      },
    },
    (data) => z.string().nullable().parse(data),
  );
  return command === null ? null : { command, source: 'project' };
}

/** Uses pytest if it is installed, otherwise the runner that comes with the language. */
export function commandFor(paths: readonly string[]): string | null {
  const tests = paths.filter((path) => guardKind(path) === 'test' && mayBeAdded(path)).slice(0, mostFiles);
  const named = (pattern: RegExp): string =>
    tests
      .filter((path) => pattern.test(path))
      .map((path) => shellQuote(path))
      .join(' ');
  const [py, js] = [named(python), named(script)];
  const commands = [
    ...(py === ''
      ? []
      : [
          `if python3 -c 'import pytest' 2>/dev/null; then python3 -m pytest -q ${py}; else python3 -m unittest ${py}; fi`,
        ]),
    ...(js === '' ? [] : [`node --test ${js}`]),
  ];
  return commands.length === 0 ? null : commands.join(' && ');
}
