import { fieldOf } from '@shared/unknown-value.ts';
import { t } from '../../lib/text/translate.ts';
import { Choice, Group, TextSetting } from '../../ui/controls/settings-parts.tsx';

interface WebSettingsProps {
  readonly settings: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

const services = ['off', 'searxng', 'brave'] as const;

/** Tools by which agents reach the web; all of them are off until they are switched on here. */
export function WebSettings({ settings, onSave }: WebSettingsProps) {
  const web = fieldOf(settings, 'web');
  const search = fieldOf(web, 'search');
  const address = fieldOf(web, 'searxng');
  return (
    <Group title={t('settings.web')}>
      <p className="text-soft">{t('settings.web.text')}</p>
      <Switch name="read" isOn={fieldOf(web, 'read') === true} onSave={onSave} />
      <Choice
        label={t('settings.web.search')}
        hint={t('settings.web.search.hint')}
        value={typeof search === 'string' ? search : 'off'}
        options={services.map((value) => ({ value, text: t(`settings.web.search.${value}`) }))}
        onChange={(value) => onSave('web.search', value)}
      />
      {search === 'searxng' && (
        <TextSetting
          label={t('settings.web.searxng')}
          hint={t('settings.web.searxng.hint')}
          placeholder="http://search.example.org:8888"
          value={typeof address === 'string' ? address : ''}
          onSave={(value) => onSave('web.searxng', value)}
        />
      )}
      {search === 'brave' && <p className="text-sm text-soft">{t('settings.web.key')}</p>}
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
