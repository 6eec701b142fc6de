import type { FormEvent } from 'react';
import { useState } from 'react';
import { promptName } from '@shared/tools/found-offers.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import type { AskedPrompt } from '../../lib/input/use-server-prompts.ts';
import { t } from '../../lib/text/translate.ts';
import { DialogFrame } from '../layout/dialog-frame.tsx';
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
    <DialogFrame
      title={seenWords(prompt.title ?? prompt.name)}
      about={t('serverPrompt.about', { name: seenName(promptName(prompt)), server: seenName(prompt.server) })}
      onClose={close}
    >
      <form
        aria-label={t('serverPrompt.form')}
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-3"
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
    </DialogFrame>
  );
}
