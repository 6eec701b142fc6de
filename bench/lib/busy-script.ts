import type { ProviderSettings } from '@shared/settings/settings.ts';

export type ScriptedReplies = readonly Extract<ProviderSettings, { kind: 'scripted' }>['replies'][number][];

export interface BusyScript {
  readonly files: Readonly<Record<string, string>>;
  readonly replies: ScriptedReplies;
  readonly calls: number;
}

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const rounds = 9;

/** A small project and about sixty calls on it: no two alike in a row, every tool used, some calls in one answer. */
export function createBusyScript(): BusyScript {
  const groups = Array.from({ length: rounds }, (_, round) => roundOf(round));
  const calls = groups.flat();
  const last: Call = { name: 'task_complete', input: { summary: 'Everything was tried.' } };
  return {
    files: projectFiles(),
    replies: [...calls, last].map((call) => ({ toolCalls: [call] })),
    calls: calls.length,
  };
}

function roundOf(round: number): readonly Call[] {
  const file = `note-${round}.txt`;
  return [
    { name: 'run_command', input: { command: `echo round ${round}; wc -l *.py`, why: 'a short command' } },
    { name: 'list_files', input: { path: '.', depth: 1 + round } },
    { name: 'read_file', input: { path: 'shop.py', from: 1 + round, to: 20 + round } },
    { name: 'search', input: { pattern: `price_${round}\\b` } },
    { name: 'write_file', input: { path: file, content: `round ${round}\n` } },
    { name: 'edit_file', input: { path: file, old: `round ${round}`, new: `round ${round}, changed` } },
    { name: 'run_tests', input: round % 2 === 0 ? {} : { selector: `test_price_${round}` } },
  ];
}

function projectFiles(): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  const shop = numbers.map((index) => `def price_${index}(count):\n    return count * ${index}\n`).join('\n\n');
  const tests = numbers
    .map((index) => `def test_price_${index}():\n    assert shop.price_${index}(2) == ${2 * index}\n`)
    .join('\n\n');
  return { 'shop.py': shop, 'test_shop.py': `import shop\n\n\n${tests}` };
}
