import { Dialog } from 'radix-ui';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { promptName } from '@shared/tools/found-offers.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import type { AskedPrompt } from '../../lib/input/use-server-prompts.ts';
import { t } from '../../lib/text/translate.ts';
import { Problem } from '../notices/problem.tsx';
import { Button } from './button.tsx';
import { InputField } from './field.tsx';

/** The arguments of a tool server's prompt, one field each. All words except ours are the server's. */
export default function PromptFields({ prompt, take, close }: AskedPrompt) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isReady = prompt.arguments.every(({ name, isRequired }) => !isRequired || (values[name] ?? '') !== '');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    // This form is inside the form of the message, which must not be submitted.
    event.stopPropagation();
    if (!isReady || isBusy) return;
    setIsBusy(true);
    setProblem(null);
    try {
      await take(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
    } catch (error) {
      setProblem(failureText(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : close())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content className="fixed top-[14vh] left-1/2 z-50 flex max-h-[72vh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-y-auto rounded-xl border border-line bg-raised p-5 text-sm shadow-float">
          <Dialog.Title className="text-xl font-semibold">{seenWords(prompt.title ?? prompt.name)}</Dialog.Title>
          <Dialog.Description className="mt-1 text-xs text-soft wrap-anywhere">
            {t('serverPrompt.about', { name: seenName(promptName(prompt)), server: seenName(prompt.server) })}
          </Dialog.Description>
          <form
            aria-label={t('serverPrompt.form')}
            onSubmit={(event) => void submit(event)}
            className="mt-4 flex flex-col gap-3"
          >
            {prompt.arguments.map(({ name, about, isRequired }) => (
              <InputField
                key={name}
                label={isRequired ? seenName(name) : t('serverPrompt.optional', { name: seenName(name) })}
                {...(about === undefined ? {} : { hint: seenWords(about) })}
                type="text"
                required={isRequired}
                value={values[name] ?? ''}
                onText={(value) => setValues({ ...values, [name]: value })}
              />
            ))}
            {problem !== null && <Problem text={problem} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button size="small" onClick={close}>
                {t('serverPrompt.cancel')}
              </Button>
              <Button size="small" type="submit" look="primary" disabled={!isReady || isBusy}>
                {t('serverPrompt.take')}
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
