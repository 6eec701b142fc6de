import type { EventOf } from '@shared/events/events.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** What the end of a tool call says about the work. */
type ToolEnded = EventOf<'tool-ended'>;

export const writing: readonly string[] = ['write_file', 'edit_file', 'apply_patch', 'rename_symbol', 'delete_file'];
export const running: readonly string[] = ['run_command', 'run_tests'];

export function hasFailed({ status, exitCode }: ToolEnded): boolean {
  return status !== 'ok' || (exitCode ?? 0) !== 0;
}

/** The same for two failures that differ in numbers alone, such as a time. */
export function failureKey({ output }: ToolEnded): string {
  return output.replaceAll(/\d+(?:\.\d+)?/gu, '0').slice(-600);
}

/** How each tool that searches says in its first line that it found nothing. */
const nothing: ReadonlyMap<string, RegExp> = new Map([
  ['search', /^No (?:match\.|row of .* in it; it has \d+ rows\.)$/u],
  ['read_result', /^No row of .* in it; it has \d+ rows\.$/u],
  ['list_files', /^No file fits .*\.$/u],
  ['search_documents', /^No part of \d+ documents fits these words\./u],
  ['find_symbol', /^No function, class, constant or import is named /u],
  ['symbol_info', / knows no (?:use|definition) of it\.$/u],
  ['web_search', /^Nothing was found\.$/u],
  ['find_tools', /^None of the \d+ tools fits\./u],
]);

/**
 * Whether a search found nothing. Any other tool may have good reasons to print nothing, and the words of a connected
 * one say nothing about a search.
 */
export function foundNothing(end: ToolEnded): boolean {
  const text = nothing.get(end.tool);
  if (text === undefined || hasFailed(end)) return false;
  const matches = fieldOf(end.data, 'matches');
  return Array.isArray(matches) ? matches.length === 0 : text.test(end.output.split('\n', 1)[0] ?? '');
}
