import { useState } from 'react';
import type { ToolReport } from '@shared/tools/server-definition.ts';
import { hasDeceptivePiece, seenLines, seenName, seenPieces } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { clock, tokens } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { SeenChange } from '../../ui/content/seen-change.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { OnOff } from './on-off.tsx';
import type { Work } from '../../lib/connection/use-work.ts';
import type { ServerProps } from './use-tool-servers.ts';
import { goOnAtServer, inProject } from './use-tool-servers.ts';

interface RowsProps extends ServerProps {
  readonly work: Work;
}

/** A server may have hundreds of tools. */
const shownAtFirst = 20;
/** A yes counts for those that are there to read. */
const openAtFirst = 20;

/** First the tools that wait for approval, each with its definition one click away, then the approved ones. */
export function ToolRows(props: RowsProps) {
  const { tools } = props.server;
  const open = tools.filter(({ text }) => text !== null);
  const rest = tools.filter(({ text }) => text === null);
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <>
      {open.length > 0 && <OpenTools {...props} tools={open} />}
      {rest.length > 0 && (
        <ul className="flex flex-col divide-y divide-line border-t border-line">
          {rest.slice(0, shown).map((tool) => (
            <ToolRow key={tool.name} tool={tool} {...props} />
          ))}
        </ul>
      )}
      <MoreButton left={Math.max(0, rest.length - shown)} onMore={() => setShown(shown + 100)} />
    </>
  );
}

function OpenTools({ server, tools, isRefused, work }: RowsProps & { readonly tools: readonly ToolReport[] }) {
  const client = useClient();
  const [count, setCount] = useState(openAtFirst);
  const shown = tools.slice(0, count);
  const approve = (chosen: readonly ToolReport[]): void => {
    const approved = chosen.map(({ tool, sha256 }) => ({ tool, sha256 }));
    void work
      .run((signal) => client.tools.approveTools({ name: server.name, tools: approved }, { signal }))
      .then(() => goOnAtServer(server.name, null));
  };
  return (
    <div tabIndex={-1} data-next="tools" className="flex flex-col gap-3 rounded-lg border border-line bg-sunken p-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-sm font-semibold">{t('tools.open')}</p>
        {!isRefused && (
          <Button look="primary" className="ml-auto" disabled={work.isBusy} onClick={() => approve(shown)}>
            {plural('tools.approveAll', shown.length)}
          </Button>
        )}
      </div>
      <ul className="flex flex-col gap-2">
        {shown.map((tool) => (
          <li key={tool.name} aria-label={seenName(tool.tool)} className="flex flex-col gap-1">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-mono text-xs font-semibold wrap-anywhere">{seenName(tool.tool)}</span>
              <span className={`text-sm ${tool.state === 'changed' ? 'text-warn' : 'text-soft'}`}>
                {t(tool.state === 'changed' ? 'tools.changed' : 'tools.new')}
              </span>
              {!isRefused && tools.length > 1 && (
                <Button size="small" className="ml-auto" disabled={work.isBusy} onClick={() => approve([tool])}>
                  {t('tools.approveOne', { name: seenName(tool.tool) })}
                </Button>
              )}
            </div>
            <p className="text-sm wrap-anywhere">{seenLines(tool.description)}</p>
            {/* A change, and text that shows other than it is, is seen before anybody approves it. */}
            <Fold
              label={t('tools.definition')}
              className="text-xs"
              isOpen={tool.state === 'changed' || hasDeceptivePiece(seenPieces(tool.text ?? ''))}
            >
              <SeenChange text={tool.text ?? ''} diff={tool.diff} />
            </Fold>
          </li>
        ))}
      </ul>
      <MoreButton left={tools.length - shown.length} onMore={() => setCount(count + openAtFirst)} />
    </div>
  );
}

function ToolRow({ tool, server, project, isRefused, work, readAt }: RowsProps & { readonly tool: ToolReport }) {
  const client = useClient();
  const { description, hints, state, isWanted, isReading, isAlways, own, lastUsedAt } = tool;
  const used = lastUsedAt === null ? t('tools.neverUsed') : t('tools.used', { when: clock(lastUsedAt, readAt) });
  return (
    <li className="flex items-start gap-3 py-2" aria-label={seenName(tool.tool)}>
      <div className="min-w-0 flex-1">
        <p className="font-mono text-xs wrap-anywhere">{seenName(tool.tool)}</p>
        <p className="text-sm text-soft">
          {t('tools.tool', { tokens: tokens(tool.tokens), used })}
          {state === 'gone' && <span className="text-warn"> · {t('tools.gone')}</span>}
        </p>
        {(description !== '' || hints.length > 0) && (
          <Fold label={t('tools.about')} className="text-xs">
            <p className="pt-1 text-sm whitespace-pre-line wrap-anywhere">{seenLines(description)}</p>
            {hints.length > 0 && (
              <p className="pt-1 text-xs text-soft">{t('tools.hints', { list: hints.map(seenName).join(', ') })}</p>
            )}
          </Fold>
        )}
        {isAlways && (
          <p className="flex flex-wrap items-center gap-2 py-1 text-sm">
            {t('tools.always')}
            {!isRefused && (
              <Button
                size="small"
                disabled={work.isBusy}
                aria-label={t('tools.askAgainOne', { name: seenName(tool.tool) })}
                onClick={() => void work.run(() => client.tools.askAgain({ name: server.name, tool: tool.tool }))}
              >
                {t('tools.askAgain')}
              </Button>
            )}
          </p>
        )}
        {state === 'ready' && (
          <label className="flex w-fit items-center gap-2 py-1 text-sm text-soft" title={t('tools.readsHint')}>
            <input
              type="checkbox"
              checked={isReading}
              disabled={isRefused || work.isBusy}
              aria-label={t('tools.readsOne', { name: seenName(tool.tool) })}
              onChange={({ target }) =>
                void work.run(() =>
                  client.tools.markReading({ name: server.name, tool: tool.tool, isReading: target.checked }),
                )
              }
            />
            {t('tools.reads')}
          </label>
        )}
      </div>
      <OnOff
        name={tool.tool}
        isOn={isWanted}
        own={project === null ? undefined : own}
        isDisabled={isRefused || work.isBusy}
        onChange={(isOn) =>
          void work.run(() => client.tools.set({ name: server.name, tool: tool.tool, isOn, ...inProject(project) }))
        }
      />
    </li>
  );
}
