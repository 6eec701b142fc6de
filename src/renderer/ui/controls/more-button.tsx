import { plural } from '../../lib/text/translate.ts';
import { Button } from './button.tsx';

interface MoreButtonProps {
  /** Number of items that are not shown. Without any, there is no button. */
  readonly left: number;
  readonly onMore: () => void;
}

/** For the end of a list that shows only its beginning. */
export function MoreButton({ left, onMore }: MoreButtonProps) {
  if (left === 0) return null;
  return (
    <Button size="small" look="quiet" className="w-full text-soft" onClick={onMore}>
      {plural('list.more', left)}
    </Button>
  );
}
