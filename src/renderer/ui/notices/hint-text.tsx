import { hintAction } from '../../lib/input/hint-action.ts';
import { HintButton } from './hint-button.tsx';
import { TextWithCode } from './text-with-code.tsx';

/**
 * What is to be done, as the core says it for every host. Where it names a command for which the window has a button,
 * that is there, too; a hint that is nothing but that command is the button alone.
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
