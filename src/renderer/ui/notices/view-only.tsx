import { Notice } from './notice.tsx';
import { TextWithCode } from './text-with-code.tsx';

/** Says where something can be changed that this page only shows. Text in backticks is a command to type. */
export function ViewOnly({ text }: { readonly text: string }) {
  return (
    <Notice kind="info">
      <TextWithCode text={text} />
    </Notice>
  );
}
