import { useQuery } from '@tanstack/react-query';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { fillTemplate, firstPlace } from '@shared/session/prompt-templates.ts';
import { useClient } from '../connection/core-context.ts';

const none: readonly PromptTemplate[] = [];

/** The person's prompt templates and the folder that they lie in. Files that were changed by hand are seen at once. */
export function useTemplates(): { readonly folder: string; readonly templates: readonly PromptTemplate[] } {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['templates'],
    queryFn: ({ signal }) => client.templates.list(undefined, { signal }),
    staleTime: 2000,
  });
  return data ?? { folder: '', templates: none };
}

/** A field with words in it. `select`: of the text that it has after the next drawing. */
interface FilledField {
  readonly setText: (text: string) => void;
  readonly select: (place: { readonly start: number; readonly end: number }) => void;
}

/** The text of a template stands in the field, with what was typed after its name, and its first place is chosen. */
export function fillField({ setText, select }: FilledField, template: PromptTemplate, typed: string): void {
  const { text } = fillTemplate(template.text, typed);
  setText(text);
  select(firstPlace(text) ?? { start: text.length, end: text.length });
}
