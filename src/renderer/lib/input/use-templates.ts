import { useQuery } from '@tanstack/react-query';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { fillTemplate, firstPlace } from '@shared/session/prompt-templates.ts';
import { useClient } from '../connection/core-context.ts';

const none: readonly PromptTemplate[] = [];

/**
 * The user's prompt templates and their folders, with those of skills and of the project. Includes files that were edited
 * by hand.
 */
export function useTemplates(projectPath: string | null): {
  readonly folder: string;
  /** Where those of the project lie; null: nothing was said about it yet. */
  readonly projectFolder: string | null;
  readonly templates: readonly PromptTemplate[];
} {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['templates', projectPath],
    queryFn: ({ signal }) => client.templates.list({ projectPath }, { signal }),
    staleTime: 2000,
  });
  return data ?? { folder: '', projectFolder: null, templates: none };
}

/** A field with text in it. `select` marks a part of the text that it has after the next render. */
interface FilledField {
  readonly setText: (text: string) => void;
  readonly select: (place: { readonly start: number; readonly end: number }) => void;
}

/** Puts a template's text into the field, with the words typed after its name, and selects its first place. */
export function fillField({ setText, select }: FilledField, template: PromptTemplate, typed: string): void {
  const { text } = fillTemplate(template.text, typed);
  setText(text);
  select(firstPlace(text) ?? { start: text.length, end: text.length });
}
