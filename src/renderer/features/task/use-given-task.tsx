import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { GivenTask } from '@shared/contract/host-contract.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';

interface TaskOfField {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly add: (files: readonly File[]) => void;
}

/** Each given task is used once, however often the field renders. */
const taken = new WeakSet<GivenTask>();

/**
 * Puts a task from outside the page into the field, after any text that is there. The returned note says who wrote it,
 * until it is sent or removed. A stranger's text does not get the focus, so that no stray key can send it.
 */
export function useGivenTask(given: GivenTask, { text, setText, add }: TaskOfField): ReactNode {
  const [from, setFrom] = useDraft('task-from');
  const [words, setWords] = useDraft('task-given');
  useEffect(() => {
    if (taken.has(given)) return;
    taken.add(given);
    if (given.files !== undefined) add(given.files.map(fileOf));
    if (given.text === undefined) return;
    setText(text.trim() === '' ? given.text : `${text.trimEnd()}\n\n${given.text}`);
    // A text of the page itself needs no mark.
    if (given.from === undefined) return;
    setWords(given.text);
    setFrom(given.isCut === true ? 'link-cut' : given.from);
    // Runs only for a new object.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [given]);
  useEffect(() => {
    // What is written next is the user's own.
    if (from !== '' && text.trim() === '') setFrom('');
  }, [from, text, setFrom]);
  const kind = (['link', 'link-cut', 'clipboard'] as const).find((one) => one === from);
  if (kind === undefined || text.trim() === '') return null;
  const remove = (): void => {
    setText(text.replace(words, () => '').trimEnd());
    setFrom('');
  };
  return (
    <Notice kind={kind === 'clipboard' ? 'info' : 'warning'}>
      <p>{t(`task.from.${kind}`)}</p>
      {/* Can be removed only if the user has not changed it. */}
      {text.includes(words) && (
        <Button size="small" className="mt-2" onClick={remove}>
          {t('task.from.remove')}
        </Button>
      )}
    </Notice>
  );
}

/** Whether a stranger wrote the given text. */
export function isForeign({ from }: GivenTask): boolean {
  return from === 'link';
}

function fileOf({ name, data }: { readonly name: string; readonly data: string }): File {
  return new File([Uint8Array.from(atob(data), (byte) => byte.codePointAt(0) ?? 0)], name);
}
