import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Select } from '../../ui/controls/select.tsx';

interface OnOffProps {
  readonly name: string;
  /** The value that applies. */
  readonly isOn: boolean;
  /** The project's own switch, null when the general one applies; undefined: this is the general switch. */
  readonly own: boolean | null | undefined;
  readonly isDisabled: boolean;
  /** Null: the general switch applies again. */
  readonly onChange: (isOn: boolean | null) => void;
}

/** A switch for all projects, or for one project, which may follow the general one. */
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
        // The general value is known only while the project has none of its own.
        <option value="">{t(own === null ? (isOn ? 'tools.asAll.on' : 'tools.asAll.off') : 'tools.asAll')}</option>
      )}
      <option value="on">{t('tools.on')}</option>
      <option value="off">{t('tools.off')}</option>
    </Select>
  );
}
