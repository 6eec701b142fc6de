import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Select } from '../../ui/controls/select.tsx';

interface OnOffProps {
  readonly name: string;
  /** What holds. */
  readonly isOn: boolean;
  /** What a project says itself, null where it goes by the general word; undefined: this is the general word. */
  readonly own: boolean | null | undefined;
  readonly isDisabled: boolean;
  /** Null: by the general word again. */
  readonly onChange: (isOn: boolean | null) => void;
}

/** Whether something is used: in all projects, or in one, which may go by what holds in all. */
export function OnOff({ name, isOn, own, isDisabled, onChange }: OnOffProps) {
  const chosen = own === null ? '' : isOn ? 'on' : 'off';
  return (
    <Select
      aria-label={t('tools.switch', { name: seenName(name) })}
      value={chosen}
      disabled={isDisabled}
      className="shrink-0"
      onChange={({ target: { value } }) => onChange(value === '' ? null : value === 'on')}
    >
      {own !== undefined && (
        // What all projects have is known only while this one says nothing itself.
        <option value="">{t(own === null ? (isOn ? 'tools.asAll.on' : 'tools.asAll.off') : 'tools.asAll')}</option>
      )}
      <option value="on">{t('tools.on')}</option>
      <option value="off">{t('tools.off')}</option>
    </Select>
  );
}
