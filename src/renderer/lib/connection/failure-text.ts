import { ORPCError } from '@orpc/client';
import { printable } from '@shared/text/seen-text.ts';
import { t } from '../text/translate.ts';

/** What went wrong and, if possible, what to do, as text for the user. */
export function failureText(error: unknown): string {
  return printable(wordsOf(error));
}

/** The code of a failure of the core (`conflict`, `refused` …). Null: it is another error. */
export function failureCode(error: unknown): unknown {
  return error instanceof ORPCError ? (Reflect.get(Object(error.data), 'code') ?? null) : null;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ORPCError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'BAD_REQUEST') return t('app.notTaken');
  const hint: unknown =
    error.data === null || typeof error.data !== 'object' ? undefined : Reflect.get(error.data, 'hint');
  return typeof hint === 'string' && hint !== '' ? `${error.message} ${hint}` : error.message;
}
