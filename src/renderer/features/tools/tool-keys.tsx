import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { useToolWork } from './use-tool-servers.ts';

type SaveKey = (variable: string, value: string) => Promise<unknown>;

interface ToolKeysProps {
  readonly names: readonly string[];
  readonly isOpen: boolean;
  readonly onSave: SaveKey;
}

/** Values go to the core once and never come back. */
export function ToolKeys({ names, isOpen, onSave }: ToolKeysProps) {
  return (
    <Fold key={String(isOpen)} label={t('tools.keys')} isOpen={isOpen}>
      <ul className="flex flex-col gap-3 pt-2">
        {names.map((variable) => (
          <li key={variable}>
            <KeyField variable={variable} onSave={onSave} />
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function KeyField({ variable, onSave }: { readonly variable: string; readonly onSave: SaveKey }) {
  const work = useToolWork();
  const [value, setValue] = useState('');
  const name = seenName(variable);
  const save = async (): Promise<void> => {
    if (!(await work.run(() => onSave(variable, value.trim())))) return;
    setValue('');
    announce({ kind: 'info', text: t('tools.keySaved', { name }) });
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <InputField
        label={t('tools.keyOf', { name })}
        hint={t('tools.keyHint')}
        type="password"
        value={value}
        autoComplete="off"
        onText={setValue}
      />
      <Button type="submit" size="small" className="w-fit" disabled={value.trim() === '' || work.isBusy}>
        {t('tools.keySave')}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
    </form>
  );
}
