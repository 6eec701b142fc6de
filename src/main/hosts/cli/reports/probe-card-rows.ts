import type { DraftsResult, KeptCard } from '@shared/models/probe-card.ts';

/** The findings of a probe, as rows for people. */
export function cardRows(card: KeptCard): readonly (readonly [name: string, value: string])[] {
  const { callStyle, calls, edit, tasks, speeds, needle, toolBudget, drafts } = card;
  const tried = calls.map(({ style, passed, of }) => `${style} ${passed} of ${of}`).join(', ');
  return [
    ['probed', `${new Date(card.at).toISOString().slice(0, 10)}, in ${card.seconds} s (session ${card.sessionId})`],
    [
      'tool calls',
      `${callStyle ?? 'none works'} (${tried})${toolBudget === null ? '' : `, ${toolBudget} tools at most`}`,
    ],
    ['edits', edit ?? 'none works'],
    [
      'tasks',
      `one function ${tasks.recipe.passed} of ${tasks.recipe.of}, in the loop ${tasks.loop === null ? 'not tried' : `${tasks.loop.passed} of ${tasks.loop.of}`}`,
    ],
    ['strategies', card.strategies.length === 0 ? 'none passed' : card.strategies.join(', ')],
    ...speeds.map(
      ({ promptTokens, prefillPerSecond, decodePerSecond }) =>
        [
          'speed',
          `${promptTokens} tokens read at ${rate(prefillPerSecond)}, written at ${rate(decodePerSecond)}`,
        ] as const,
    ),
    [
      'context',
      needle === null
        ? 'not tried'
        : `a fact ${needle.promptTokens} tokens back was ${needle.isFound ? '' : 'not '}recalled`,
    ],
    ...(drafts === undefined ? [] : draftRows(drafts)),
    ['prompt', `${card.promptForm}, temperature ${card.temperature}`],
    ...card.notes.map((note) => ['note', note] as const),
  ];
}

function draftRows({ ways, best, on }: NonNullable<KeptCard['drafts']>): readonly (readonly [string, string])[] {
  const found = best === null ? 'none is at least 10 % faster here' : `best by ${best}`;
  return [['drafts', `${found} (measured with ${on})`], ...ways.map((way) => ['drafts', wayText(way)] as const)];
}

function wayText({ way, quicker, drafted, accepted, differs, problem }: DraftsResult['ways'][number]): string {
  if (quicker === null) return `by ${way}: not measured, ${problem ?? 'unknown why'}`;
  const speed = `${Math.abs(quicker)} % ${quicker < 0 ? 'slower' : 'faster'}`;
  const words = differs.length === 0 ? '' : `; another text in: ${differs.join(', ')}`;
  return `by ${way}: ${speed}, ${accepted} of ${drafted} drafted tokens kept${words}`;
}

function rate(perSecond: number | null): string {
  return perSecond === null ? 'an unknown speed' : `${perSecond}/s`;
}
