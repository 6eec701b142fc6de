import { useNavigate } from '../lib/navigation.ts';
import type { TextKey } from '../lib/texts.ts';
import { t } from '../lib/texts.ts';
import type { View } from '../lib/use-view.ts';
import { Button } from './button.tsx';
import { PullControl } from './pull-control.tsx';

/** What a command of the terminal does, and where the window does it; the first that fits. */
const places: readonly (readonly [RegExp, TextKey, View])[] = [
  [/\bdewpoint keys set\b/u, 'hint.keys', { type: 'settings' }],
  [/\bdewpoint (?:models\b|settings set providers)/u, 'hint.models', { type: 'models' }],
  [/\bdewpoint rules\b/u, 'hint.rules', { type: 'settings' }],
  [/\bdewpoint doctor\b/u, 'hint.machine', { type: 'settings' }],
];

/**
 * What is to be done, as the core says it for every host. Where it names a command for which the window has a button,
 * that is there, too; a hint that is nothing but that command is the button alone.
 */
export function HintText({ hint }: { readonly hint: string }) {
  const navigate = useNavigate();
  const model = /\bdewpoint models pull (?:hf:)?([\w./-]*\w)/u.exec(hint)?.[1];
  const place = places.find(([command]) => command.test(hint));
  const isBare = /^dewpoint \S+ \S+(?: \S+)?$/u.test(hint) && (model !== undefined || place !== undefined);
  return (
    <>
      {!isBare && <p className="text-xs text-soft wrap-anywhere">{hint}</p>}
      {model !== undefined && <PullControl id={model} />}
      {model === undefined && place !== undefined && (
        <Button size="small" className="w-fit" onClick={() => navigate(place[2])}>
          {t(place[1])}
        </Button>
      )}
    </>
  );
}
