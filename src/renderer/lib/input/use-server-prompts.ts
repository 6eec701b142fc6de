import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import type { FoundPrompt } from '@shared/tools/found-offers.ts';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import { announce } from '../notices/announce.ts';
import type { Attachments } from './use-attachments.ts';

const none: readonly FoundPrompt[] = [];

/** The field that a prompt goes into. */
interface PromptField {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly place: FilePlace | null;
  readonly attachments: Pick<Attachments, 'addKept'>;
}

/** A prompt whose arguments are filled in before its server is asked. */
export interface AskedPrompt {
  readonly prompt: FoundPrompt;
  /** Rejects with a failure of the core, and then leaves the field unchanged. */
  readonly take: (values: Readonly<Record<string, string>>) => Promise<void>;
  readonly close: () => void;
}

export interface ServerPrompts {
  readonly prompts: readonly FoundPrompt[];
  /** A prompt without arguments goes into the field at once. */
  readonly choose: (prompt: FoundPrompt) => void;
  readonly asked: AskedPrompt | null;
}

/** Prompts of tool servers. The text of a prompt goes into the field, where the user can change and send it. */
export function useServerPrompts({ text, setText, place, attachments }: PromptField): ServerPrompts {
  const client = useClient();
  const [asked, setAsked] = useState<FoundPrompt | null>(null);
  const { data } = useQuery({
    queryKey: ['server-prompts', place],
    queryFn: ({ signal }) => client.attachments.prompts({ place }, { signal }),
    enabled: text.startsWith('/'),
    staleTime: 2000,
    retry: false,
  });
  const take = async ({ server, name }: FoundPrompt, values: Readonly<Record<string, string>>): Promise<void> => {
    const taken = await client.attachments.takePrompt({ place, server, name, values });
    setText(taken.text);
    attachments.addKept(taken.attachments);
    setAsked(null);
  };
  return {
    prompts: data ?? none,
    choose: (prompt) => {
      if (prompt.arguments.length > 0) setAsked(prompt);
      else take(prompt, {}).catch((error: unknown) => announce({ kind: 'error', text: failureText(error) }));
    },
    asked: asked && { prompt: asked, take: (values) => take(asked, values), close: () => setAsked(null) },
  };
}
