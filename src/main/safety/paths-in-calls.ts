import { fieldOf } from '@shared/unknown-value.ts';

/** The paths in an input: its path fields, the headers of a patch, the words of a command. */
export function* pathsIn(input: unknown): Generator<string> {
  if (typeof input !== 'object' || input === null) return;
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === 'string') {
      if (key === 'path' || key === 'cwd') yield value;
      if (key === 'patch')
        for (const [, head = ''] of value.matchAll(/^(?:---|\+\+\+|\*\*\*)([^\n]*)/gmu)) {
          const path = /(?<![^\s:])[^\s:]+$/u.exec(head.trimEnd())?.[0];
          if (path !== undefined) yield path.replace(/^[ab]\//, '');
        }
      if (key === 'command' || key === 'selector') yield* value.match(/[^\s'"`;|&<>()=:,]+/gu) ?? [];
    }
    if (Array.isArray(value)) for (const item of value) if (typeof item === 'object') yield* pathsIn(item);
  }
}

/** Tools whose output has content of files that their input does not name. */
export function isFinding(tool: string): boolean {
  return ['search', 'search_documents', 'look_at_changes', 'read_git'].includes(tool);
}

/** The paths in which something was found: from a search's data and lines, or from the headers of a diff. */
export function* pathsFound({ output, data }: { readonly output: string; readonly data?: unknown }): Generator<string> {
  const matches: unknown = fieldOf(data, 'matches');
  if (Array.isArray(matches)) for (const item of matches) yield* pathsIn(item);
  const diff: unknown = fieldOf(data, 'diff');
  if (typeof diff === 'string') yield* pathsIn({ patch: diff });
  for (const match of output.matchAll(/^(.+?):\d+: /gmu)) if (match[1] !== undefined) yield match[1];
}
