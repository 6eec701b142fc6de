import { plural } from '../../lib/text/translate.ts';
import { Button } from './button.tsx';

interface MoreButtonProps {
  /** How many are not shown; for none there is no button. */
  readonly left: number;
  readonly onMore: () => void;
}

/** At the end of a list of which only the beginning is drawn. */
export function MoreButton({ left, onMore }: MoreButtonProps) {
  if (left === 0) return null;
  return (
    <Button size="small" look="quiet" className="w-full text-soft" onClick={onMore}>
      {plural('list.more', left)}
    </Button>
  );
}
