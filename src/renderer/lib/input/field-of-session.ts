import { createContext, useContext } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';

/** What is put back into the field of the session that is shown. */
export interface TakenBack {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** How the conversation reaches the field below it. */
export const FieldContext = createContext<(taken: TakenBack) => void>(() => undefined);

export function useFieldOfSession(): (taken: TakenBack) => void {
  return useContext(FieldContext);
}
