import { useCallback, useRef, useState } from 'react';
import type { TurnState } from '@shared/session/session-state.ts';
import { useClient } from '../connection/core-context.ts';

/** The most characters of loaded texts. The least recently requested ones are dropped first. */
const keptCharacters = 2_000_000;

export interface WholeTexts {
  /** By the id of the turn. */
  readonly texts: ReadonlyMap<string, string>;
  /** Loads a text that is not here. */
  readonly want: (turn: TurnState) => void;
}

/** The full final texts of turns whose beginning alone is in the fold. */
export function useWholeTexts(sessionId: string): WholeTexts {
  const client = useClient();
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const asking = useRef(new Set<string>());
  const want = useCallback(
    ({ id, seq }: TurnState): void => {
      if (asking.current.has(id)) return;
      asking.current.add(id);
      client.sessions
        .detail({ sessionId, id, near: seq })
        .then(
          ({ text }) => setTexts((before) => (text === null ? before : kept(new Map([...before, [id, text]])))),
          // Its beginning stays. It is requested again when the row renders again.
          () => undefined,
        )
        .finally(() => void asking.current.delete(id));
    },
    [client, sessionId],
  );
  return { texts, want };
}

function kept(texts: Map<string, string>): ReadonlyMap<string, string> {
  let characters = 0;
  for (const text of texts.values()) characters += text.length;
  for (const [id, text] of texts) {
    if (characters <= keptCharacters || texts.size === 1) break;
    characters -= text.length;
    texts.delete(id);
  }
  return texts;
}
