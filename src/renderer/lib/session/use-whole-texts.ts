import { useCallback, useRef, useState } from 'react';
import type { TurnState } from '@shared/session/session-state.ts';
import { useClient } from '../connection/core-context.ts';

/** Characters of looked up texts that are kept; the ones that were wanted longest ago go first. */
const keptCharacters = 2_000_000;

export interface WholeTexts {
  /** By the id of the turn. */
  readonly texts: ReadonlyMap<string, string>;
  /** Looks one up that is not here. */
  readonly want: (turn: TurnState) => void;
}

/** What turns said at their ends, where the fold has only the beginning of it. */
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
          // The beginning of it stays, with its mark; it is asked for again when the row is drawn again.
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
