import { t } from '../../lib/text/translate.ts';
import { InputField } from '../../ui/controls/field.tsx';

/** For text that no dictionary and no autocomplete knows. */
export const plainText = { spellCheck: false, autoComplete: 'off' } as const;

/** Splits at commas and blanks. */
export const words = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== '');

interface NameFieldProps {
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** The name of a server in Dewpoint. */
export function NameField({ name, onName }: NameFieldProps) {
  return (
    <InputField
      label={t('tools.name')}
      hint={t('tools.nameHint')}
      value={name}
      pattern="[a-z][a-z0-9\-]{0,23}"
      required
      {...plainText}
      onText={onName}
    />
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function CheckField({ label, hint, isOn, onChange }: CheckFieldProps) {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input type="checkbox" className="mt-1" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>
        {label}
        <span className="block text-soft">{hint}</span>
      </span>
    </label>
  );
}
