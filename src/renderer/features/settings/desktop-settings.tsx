import { fieldOf } from '@shared/unknown-value.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { keysText } from '../../lib/input/actions.ts';
import { t } from '../../lib/text/translate.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';

interface DesktopSettingsProps {
  /** The core's settings. An older core does not have these. */
  readonly settings: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

/** Shortcuts that systems and most programs leave free. */
const offered = ['CommandOrControl+Shift+Space', 'CommandOrControl+Alt+Space', 'CommandOrControl+Shift+D'];

/** Dewpoint outside its windows. Not shown in a browser. */
export function DesktopSettings({ settings, onSave }: DesktopSettingsProps) {
  const isWindow = useIsWindow();
  if (!isWindow || settings === undefined) return null;
  const keys = fieldOf(settings, 'askKeys');
  const own = typeof keys === 'string' ? keys : '';
  const all = own === '' || offered.includes(own) ? offered : [...offered, own];
  const onOff = (['off', 'on'] as const).map((value) => ({ value, text: t(`settings.${value}`) }));
  return (
    <Group title={t('settings.desktop')}>
      <Choice
        label={t('settings.tray')}
        hint={t('settings.tray.hint')}
        value={fieldOf(settings, 'tray') === true ? 'on' : 'off'}
        options={onOff}
        onChange={(value) => onSave('desktop.tray', value === 'on')}
      />
      <Choice
        label={t('settings.askKeys')}
        hint={t('settings.askKeys.hint')}
        value={own}
        options={[
          { value: '', text: t('settings.askKeys.none') },
          ...all.map((value) => ({ value, text: keysText(value.replace('CommandOrControl', 'Mod')) })),
        ]}
        onChange={(value) => onSave('desktop.askKeys', value === '' ? null : value)}
      />
      <Choice
        label={t('settings.askWithClipboard')}
        hint={t('settings.askWithClipboard.hint')}
        value={fieldOf(settings, 'askWithClipboard') === true ? 'yes' : 'no'}
        options={(['no', 'yes'] as const).map((value) => ({ value, text: t(`settings.askWithClipboard.${value}`) }))}
        isDisabled={own === ''}
        onChange={(value) => onSave('desktop.askWithClipboard', value === 'yes')}
      />
    </Group>
  );
}
