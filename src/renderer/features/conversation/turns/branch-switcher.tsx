import { useNavigate } from '../../../lib/window/navigation.ts';
import { useAlternatives } from '../../../lib/session/branches.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { mostBeside, showBeside } from '../../../lib/models/beside.ts';
import { Icon } from '../../../ui/layout/icon.tsx';

interface BranchSwitcherProps {
  readonly sessionId: string;
  readonly messageId: string;
  /** The message, above the answers beside each other. */
  readonly text: string;
}

/** Switches between branches where a message was edited or answered again. */
export function BranchSwitcher({ sessionId, messageId, text }: BranchSwitcherProps) {
  const navigate = useNavigate();
  const found = useAlternatives(sessionId, messageId);
  if (found === null) return null;
  const { at, ways } = found;
  const go = (to: number): void => {
    const way = ways[to];
    if (way !== undefined) navigate({ type: 'session', sessionId: way.sessionId, at: { ref: way.messageId } });
  };
  return (
    // It is no form, and no part of one.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div role="group" aria-label={t('branch.label')} className="flex items-center text-xs text-soft tabular-nums">
      <Arrow label={t('branch.before')} isBack isOff={at === 0} onClick={() => go(at - 1)} />
      <span>{t('branch.place', { at: at + 1, count: ways.length })}</span>
      <Arrow label={t('branch.after')} isBack={false} isOff={at === ways.length - 1} onClick={() => go(at + 1)} />
      <Button
        size="icon"
        look="quiet"
        className="size-6"
        aria-label={t('beside.open')}
        title={t('beside.openAbout')}
        onClick={() => showBeside({ text, columns: nearest(ways, at) })}
      >
        <Icon name="columns" className="size-3" />
      </Button>
    </div>
  );
}

/** As many as there is room for, with the one that is shown. */
function nearest<Way>(ways: readonly Way[], at: number): readonly Way[] {
  const from = Math.max(0, Math.min(at - 1, ways.length - mostBeside));
  return ways.slice(from, from + mostBeside);
}

interface ArrowProps {
  readonly label: string;
  readonly isBack: boolean;
  readonly isOff: boolean;
  readonly onClick: () => void;
}

function Arrow({ label, isBack, isOff, onClick }: ArrowProps) {
  return (
    <Button
      size="icon"
      look="quiet"
      className="size-6"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name="chevron" className={`size-3 ${isBack ? 'rotate-180' : ''}`} />
    </Button>
  );
}
