import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';

/** Makes a model the one of the settings. Left out where the host of the page refuses to change settings. */
export function UseModel({ onUse }: { readonly onUse: () => void }) {
  const isRefused = useIsCommandRefused('settings.set');
  if (isRefused) return null;
  return (
    <Button size="small" onClick={onUse}>
      {t('models.use')}
    </Button>
  );
}
