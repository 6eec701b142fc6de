import { createContext, useContext } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';

/** A message to put back into the field of the open session. */
export interface TakenBack {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Lets the conversation reach the field below it. */
export const FieldContext = createContext<(taken: TakenBack) => void>(() => undefined);

export function useFieldOfSession(): (taken: TakenBack) => void {
  return useContext(FieldContext);
}
