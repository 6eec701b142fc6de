import { fieldOf } from '@shared/unknown-value.ts';
import { t } from '../../lib/text/translate.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';
import { SearchService } from './search-service.tsx';

interface WebSettingsProps {
  readonly settings: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

/** Tools by which agents reach the web; all of them are off until they are switched on here. */
export function WebSettings({ settings, onSave }: WebSettingsProps) {
  const web = fieldOf(settings, 'web');
  return (
    <Group title={t('settings.web')}>
      <p className="text-soft">{t('settings.web.text')}</p>
      <Switch name="read" isOn={fieldOf(web, 'read') === true} onSave={onSave} />
      <SearchService web={web} onSave={onSave} />
      <Switch name="request" isOn={fieldOf(web, 'request') === true} onSave={onSave} />
    </Group>
  );
}

interface SwitchProps extends Pick<WebSettingsProps, 'onSave'> {
  readonly name: 'read' | 'request';
  readonly isOn: boolean;
}

function Switch({ name, isOn, onSave }: SwitchProps) {
  return (
    <Choice
      label={t(`settings.web.${name}`)}
      hint={t(`settings.web.${name}.hint`)}
      value={isOn ? 'on' : 'off'}
      options={(['off', 'on'] as const).map((value) => ({ value, text: t(`settings.web.${value}`) }))}
      onChange={(value) => onSave(`web.${name}`, value === 'on')}
    />
  );
}
