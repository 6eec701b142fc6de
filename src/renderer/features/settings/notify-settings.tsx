import { useState } from 'react';
import { mayNotify } from '../../lib/notices/may-notify.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';

const choices = ['all', 'waits', 'off'] as const;

interface NotifySettingsProps {
  readonly value: string;
  readonly onSave: (value: string) => void;
}

/** Of what a person is told who looks elsewhere; a browser asks them itself whether it may. */
export function NotifySettings({ value, onSave }: NotifySettingsProps) {
  const isWindow = useIsWindow();
  const [isAllowed, setIsAllowed] = useState(mayNotify);
  const ask = async (): Promise<void> => setIsAllowed((await Notification.requestPermission()) === 'granted');
  return (
    <Group title={t('settings.notify')}>
      <Choice
        label={t('settings.notify.of')}
        value={value}
        options={choices.map((choice) => ({ value: choice, text: t(`settings.notify.${choice}`) }))}
        onChange={onSave}
      />
      {!isWindow && !isAllowed && 'Notification' in window && (
        <Button className="self-start" onClick={() => void ask()}>
          {t('settings.notify.ask')}
        </Button>
      )}
    </Group>
  );
}
