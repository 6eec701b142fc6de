import { tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import type { ContextFill } from '../../lib/session/context-fill.ts';
import { Button } from '../../ui/controls/button.tsx';

const round = 2 * Math.PI * 6;

interface ContextMeterProps {
  readonly fill: ContextFill;
  /** Opens the list of what is in the context. */
  readonly onOpen: () => void;
}

/** How full the next model's context is. */
export function ContextMeter({ fill: { used, all, level }, onOpen }: ContextMeterProps) {
  const percent = Math.min(100, Math.round((used / all) * 100));
  const label = t('meter.label', { used: tokens(used), all: tokens(all), percent });
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      data-fill={level}
      onClick={onOpen}
      className={`flex h-7 items-center gap-1.5 rounded-md px-1.5 text-xs tabular-nums hover:bg-chosen hover:text-ink ${level === 'free' ? 'text-soft' : 'text-warn'}`}
    >
      <svg viewBox="0 0 16 16" className="size-3.5 -rotate-90" fill="none" strokeWidth="3" aria-hidden="true">
        <circle cx="8" cy="8" r="6" className="stroke-line-strong opacity-60" />
        <circle cx="8" cy="8" r="6" stroke="currentColor" strokeDasharray={`${(percent / 100) * round} ${round}`} />
      </svg>
      {level !== 'free' && `${percent} %`}
    </button>
  );
}

interface ContextWarningProps {
  /** Compact: the conversation is summarized before the next message. */
  readonly about: ContextFill['level'] | 'compact';
  readonly onCompact: () => void;
}

/** A warning before anything is cut, with the offer to summarize instead. */
export function ContextWarning({ about, onCompact }: ContextWarningProps) {
  if (about === 'free') return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3.5 pb-1.5 text-xs text-warn">
      {t(`meter.${about}`)}
      {about !== 'compact' && (
        <Button size="small" onClick={onCompact}>
          {t('meter.summarize')}
        </Button>
      )}
    </p>
  );
}
