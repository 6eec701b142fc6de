import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { writeStoredText } from '../../lib/window/stored-value.ts';
import type { ToolDraft, ToolFields } from './tool-draft.ts';
import { declarationOf, fieldsOf, keptText } from './tool-draft.ts';

/** An unsaved draft survives a change of view and a restart. */
export const draftKey = 'dewpoint-draft:tool';

/** The pause after typing before text and fields are synchronized. */
const pauseMs = 300;

export interface ShownDraft {
  readonly draft: ToolDraft;
  readonly setText: (text: string) => void;
  readonly setFields: (fields: ToolFields) => void;
  readonly replace: (draft: ToolDraft) => void;
  /** The draft with text and fields in agreement, as far as possible. Rejects if the core does not answer. */
  readonly settle: () => Promise<ToolDraft>;
}

/**
 * One text that can be changed in two ways. Changes of the fields are written into the text, and changes of the text
 * are read into the fields. The core does both, because only it knows the syntax of each language.
 */
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
    const { file, text, fields, isUnsaid } = asked;
    const say = isUnsaid && fields !== null ? { say: declarationOf(fields) } : {};
    const answer = await client.ownTools.draft({ file, text, ...say });
    if (latest.current !== asked) return settle();
    const { declaration, problem } = answer;
    return show({
      ...asked,
      text: answer.text,
      problem,
      isUnsaid: isUnsaid && declaration === null,
      fields: isUnsaid || declaration === null ? fields : fieldsOf(declaration),
    });
  };
  const bringTogether = useStableCallback(async () => {
    try {
      await settle();
    } catch (error) {
      show({ ...latest.current, problem: failureText(error) });
    }
  });
  // A draft that `settle` returns does not count as a change.
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const timer = setTimeout(bringTogether, changes === 0 ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [changes, bringTogether]);
  const change = (next: ToolDraft): void => {
    writeStoredText(draftKey, keptText(next));
    show(next);
    setChanges((count) => count + 1);
  };
  return {
    draft,
    settle,
    replace: change,
    setText: (text) => change({ ...latest.current, text }),
    setFields: (fields) => {
      const { file, replaces } = latest.current;
      // The file of a new tool is named after the tool.
      const renamed =
        replaces === null && /^[a-z]\w*$/u.test(fields.name) ? fields.name + file.slice(file.lastIndexOf('.')) : file;
      change({ ...latest.current, fields, file: renamed, isUnsaid: true });
    },
  };
}
