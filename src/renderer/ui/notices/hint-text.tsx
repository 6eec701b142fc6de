import { hintAction } from '../../lib/input/hint-action.ts';
import { HintButton } from './hint-button.tsx';
import { TextWithCode } from './text-with-code.tsx';

/**
 * A hint of the core, which serves every host. If it names a command for which the window has a button, the button is
 * shown, too. A hint that is only such a command becomes the button alone.
 */
export function HintText({ hint }: { readonly hint: string }) {
  const isBare = /^dewpoint \S+ \S+(?: \S+)?$/u.test(hint) && hintAction(hint) !== null;
  return (
    <>
      {!isBare && (
        <p className="text-sm text-soft wrap-anywhere">
          <TextWithCode text={hint} />
        </p>
      )}
      <HintButton hint={hint} />
    </>
  );
}
