import { t } from '../../lib/text/translate.ts';
import { InputField } from '../../ui/controls/field.tsx';

/** Of what no dictionary and no earlier visit knows. */
export const plainText = { spellCheck: false, autoComplete: 'off' } as const;

/** With commas or blanks between them. */
export const words = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== '');

interface NameFieldProps {
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** What a server is called here. */
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
