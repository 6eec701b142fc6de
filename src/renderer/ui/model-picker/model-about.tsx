import type { Ref } from 'react';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { ModelOption } from '../../lib/models/model-options.ts';
import type { ModelFit } from '../../lib/models/use-model-options.ts';
import { tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Button } from '../controls/button.tsx';
import { DownloadControl } from '../controls/download-control.tsx';
import { Icon } from '../layout/icon.tsx';
import { ModelOrderList } from './model-order-list.tsx';

interface ModelAboutProps {
  readonly handle: Ref<HTMLDivElement>;
  /** The marked line; null: none. */
  readonly option: ModelOption | null;
  readonly fit: ModelFit | null;
  /** The models that the router tries, in their order. */
  readonly order: readonly string[];
  readonly isStarred: boolean;
  readonly onStar: (id: string, isStarred: boolean) => void;
}

/** Further facts about the marked line, and what the user can do with it. */
export function ModelAbout({ handle, option, fit, order, isStarred, onStar }: ModelAboutProps) {
  const navigate = useNavigate();
  return (
    <div ref={handle} className="flex shrink-0 flex-col gap-1.5 border-t border-line px-3 py-2 text-xs">
      {option?.type === 'auto' && option.policy !== 'hybrid' && (
        <p className="text-soft">{t(`picker.${option.policy}.about`)}</p>
      )}
      {option?.type === 'auto' && (
        <div className="flex max-h-40 flex-col gap-1 overflow-y-auto">
          <p className="text-soft">{t('picker.order')}</p>
          <ModelOrderList label={t('picker.order')} order={order} />
        </div>
      )}
      {option?.type === 'model' && <ModelFacts option={option} fit={fit} />}
      <div className="flex flex-wrap items-center gap-2">
        {option?.type === 'model' && option.state === 'downloadable' && (
          <span data-first className="contents">
            <DownloadControl key={option.key} id={option.key} />
          </span>
        )}
        {option?.type === 'model' && option.state === 'no-key' && (
          <Button size="small" onClick={() => navigate({ type: 'settings', at: 'keys' })}>
            {t('picker.addKey')}
          </Button>
        )}
        {option?.type === 'model' && (
          <Button size="small" look="quiet" aria-pressed={isStarred} onClick={() => onStar(option.key, !isStarred)}>
            <Icon name="star" className={`size-3.5 ${isStarred ? 'fill-current' : ''}`} />
            {t(isStarred ? 'picker.unstar' : 'picker.star')}
          </Button>
        )}
        {option?.type === 'auto' && (
          <Button size="small" look="quiet" onClick={() => navigate({ type: 'settings' })}>
            {t('picker.changeOrder')}
          </Button>
        )}
        <span className="flex-1" />
        <Button size="small" look="quiet" onClick={() => navigate({ type: 'models' })}>
          {t('picker.manage')}
        </Button>
      </div>
    </div>
  );
}

interface ModelFactsProps {
  readonly option: Extract<ModelOption, { type: 'model' }>;
  readonly fit: ModelFit | null;
}

function ModelFacts({ option: { model }, fit }: ModelFactsProps) {
  const { id, info, note } = model;
  return (
    <div className="text-soft">
      <p className="font-mono wrap-anywhere">{seenName(id)}</p>
      {info !== null && <p>{t('picker.context', { count: tokens(info.contextTokens) })}</p>}
      {fit !== null && !fit.fits && <p className="text-warn">{t('picker.tooLargeAbout')}</p>}
      {fit !== null && <p className="line-clamp-2 wrap-anywhere">{seenWords(fit.reason)}</p>}
      {note !== null && <p className="line-clamp-2 wrap-anywhere">{seenWords(note)}</p>}
    </div>
  );
}
