import type { SearchAnswer, SearchHit } from '@shared/contract/search-answer.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine } from '../../../text/terminal.ts';

export interface SearchArguments {
  readonly limit?: string;
  readonly json?: boolean;
}

/** Every place in the sessions that has all words, latest first. */
export const searchSessions: Command<[string, SearchArguments]> = async (context, text, { limit, json }) => {
  const { terminal, signal } = context;
  const most = Number(limit ?? 20);
  if (!Number.isInteger(most) || most < 1 || most > 500) throw usageError('--limit takes a number from 1 to 500.');
  const core = await context.core();
  let answer: SearchAnswer;
  do answer = await core.sessions.search({ text, limit: most }, { signal });
  while (!answer.isComplete);
  if (json === true) terminal.out(jsonLine(answer.hits));
  else if (answer.hits.length === 0) terminal.err('No matches.\n');
  let last: string | null = null;
  for (const hit of json === true ? [] : answer.hits) {
    if (hit.sessionId !== last)
      terminal.out(`${hit.sessionId}  ${terminal.colors.bold(oneLine(seenWords(hit.title), 60))}\n`);
    last = hit.sessionId;
    terminal.out(`  ${hit.kind.padEnd(7)}  ${oneLine(snippetText(hit), Math.max(40, terminal.columns - 14))}\n`);
  }
  return answer.hits.length === 0 ? 1 : 0;
};

function snippetText({ snippet }: SearchHit): string {
  return `${snippet.before}${snippet.match}${snippet.after}`;
}
