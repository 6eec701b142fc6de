import { lazy, Suspense } from 'react';
import type { ToolCallState } from '@shared/session/session-state.ts';
import { canvasToolName } from '@shared/tools/canvas.ts';
import { t } from '../../lib/text/translate.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { Thumbnail } from '../content/picture.tsx';
import { Problem } from '../notices/problem.tsx';

const CanvasView = lazy(() => import('./canvas-view.tsx'));

interface DrawnCallProps {
  readonly sessionId: string;
  readonly call: ToolCallState;
  /** The sequence number of an event a little before it. */
  readonly near: number;
}

/** What a call shows, or the pictures that it made, from the log. */
export function DrawnCall({ className, ...props }: DrawnCallProps & { readonly className?: string }) {
  return (
    <div className={className}>
      <Content {...props} />
    </div>
  );
}

function Content({ sessionId, call, near }: DrawnCallProps) {
  const load = useDetail(sessionId, { id: call.toolCallId, near }, `drawn ${call.status ?? 'running'}`);
  if (load.type === 'loading') return <p className="text-xs text-soft">{t('step.loadingDetail')}</p>;
  if (load.type === 'failed') return <Problem text={`${t('step.detailFailed')} ${load.text}`} />;
  const found = load.detail.tools.find(({ toolCallId }) => toolCallId === call.toolCallId);
  const pictures = found?.pictures ?? [];
  if (call.tool === canvasToolName)
    return (
      <Suspense fallback={null}>
        <CanvasView input={found?.drawn ?? found?.input} picture={pictures[0] ?? null} />
      </Suspense>
    );
  const table = call.hasTable === true ? found?.table : undefined;
  return (
    <div className="flex flex-wrap gap-2">
      {table !== undefined && (
        <div className="w-full">
          <Suspense fallback={null}>
            <CanvasView input={table} picture={null} />
          </Suspense>
        </div>
      )}
      {pictures.map((picture) => (
        <Thumbnail key={picture.path} picture={picture} />
      ))}
      {pictures.length === 0 && table === undefined && <p className="text-xs text-soft">{t('canvas.noPictures')}</p>}
    </div>
  );
}
