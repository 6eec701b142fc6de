import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { writeStoredText } from '../../lib/window/stored-value.ts';
import type { ToolDraft } from './tool-draft.ts';
import { keptText } from './tool-draft.ts';

/** An unsaved draft survives a change of view and a restart. */
export const draftKey = 'dewpoint-draft:tool';

/** The pause after typing before the text is read. */
const pauseMs = 300;

export interface ShownDraft {
  readonly draft: ToolDraft;
  readonly setText: (text: string) => void;
  readonly replace: (draft: ToolDraft) => void;
  /** The draft with what its text says now. Rejects if the core does not answer. */
  readonly settle: () => Promise<ToolDraft>;
}

/** The text of a tool, and what the core reads in it: only the core knows the syntax of each language. */
export function useToolDraft(first: ToolDraft): ShownDraft {
  const client = useClient();
  const [draft, setDraft] = useState(first);
  const latest = useRef(first);
  const show = (next: ToolDraft): ToolDraft => {
    latest.current = next;
    setDraft(next);
    return next;
  };
  const settle = async (): Promise<ToolDraft> => {
    const asked = latest.current;
    const { file, text, replaces } = asked;
    const check = await client.ownTools.check({ file, text });
    if (latest.current !== asked) return settle();
    const name = check.declaration?.name;
    // The file of a new tool is named after the tool.
    const isNamed = replaces === null && name !== undefined;
    return show({ ...asked, check, file: isNamed ? name + file.slice(file.lastIndexOf('.')) : file });
  };
  const read = useStableCallback(async () => {
    try {
      await settle();
    } catch (error) {
      show({ ...latest.current, check: { declaration: null, problem: failureText(error) } });
    }
  });
  // A draft that `settle` returns does not count as a change.
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const timer = setTimeout(read, changes === 0 ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [changes, read]);
  const change = (next: ToolDraft): void => {
    writeStoredText(draftKey, keptText(next));
    show(next);
    setChanges((count) => count + 1);
  };
  return { draft, settle, replace: change, setText: (text) => change({ ...latest.current, text }) };
}
