import { announce, useAnnouncement } from '../lib/announce.ts';
import { t } from '../lib/texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What was just done, over the upper part of the view. */
export function AnnouncementBar() {
  const said = useAnnouncement();
  return (
    <div
      role={said?.kind === 'error' ? 'alert' : 'status'}
      className="pointer-events-none absolute inset-x-3 top-14 z-30 flex justify-center"
    >
      {said !== null && (
        <div className="pointer-events-auto flex w-fit max-w-full items-center gap-3 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-float">
          <span className={`min-w-0 wrap-anywhere ${said.kind === 'error' ? 'text-bad' : ''}`}>{said.text}</span>
          {said.action !== undefined && (
            <Button size="small" onClick={said.action.run}>
              {said.action.label}
            </Button>
          )}
          <Button size="icon" look="quiet" aria-label={t('said.close')} onClick={() => announce(null)}>
            <Icon name="close" className="size-3.5" />
          </Button>
        </div>
      )}
    </div>
  );
}
