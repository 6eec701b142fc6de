import { useActionOf, useNavigate } from '../../lib/window/navigation.ts';
import { hintAction } from '../../lib/input/hint-action.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { DownloadControl } from '../controls/download-control.tsx';

/** Does what a hint says, if the window can. Otherwise renders nothing. */
export function HintButton({ hint }: { readonly hint: string }) {
  const navigate = useNavigate();
  const actionOf = useActionOf();
  const wanted = hintAction(hint);
  if (wanted === null) return null;
  if (wanted.type === 'pull') return <DownloadControl id={wanted.model} />;
  const run = wanted.type === 'show' ? () => navigate(wanted.view) : actionOf(wanted.id);
  if (run === null) return null;
  return (
    <Button size="small" className="w-fit" onClick={run}>
      {t(wanted.text)}
    </Button>
  );
}
