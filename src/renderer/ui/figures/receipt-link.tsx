import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { ReceiptAbout } from '../../lib/window/use-view.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../layout/icon.tsx';

/** Goes to what left this machine: in a session, from a project, or in this month (null). */
export function ReceiptLink({ about }: { readonly about: ReceiptAbout | null }) {
  const navigate = useNavigate();
  return (
    <div>
      <Button size="small" onClick={() => navigate({ type: 'receipt', ...(about === null ? {} : { about }) })}>
        <Icon name="shield" className="size-3.5" />
        {t(about?.type === 'session' ? 'receipt.open.session' : 'receipt.open')}
      </Button>
    </div>
  );
}
