import type { ReactNode } from 'react';
import type { ComposioDefinition } from '@shared/tools/composio.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { hasDeceptivePiece, seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenPieces } from '../../ui/content/seen-text.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';

interface ServerApprovalProps {
  readonly definition: ServerDefinition;
  readonly isBusy: boolean;
  /** Null: it cannot be approved from here. */
  readonly onApprove: (() => void) | null;
}

/** Everything that decides what would be started or reached, part by part. The user approves exactly this. */
export function ServerApproval({ definition, isBusy, onApprove }: ServerApprovalProps) {
  const isOnHost = definition.kind === 'stdio' && definition.where === 'host';
  const parts = partsOf(definition);
  return (
    <div tabIndex={-1} data-next="start" className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-3">
      <p className="text-sm font-semibold">{t('tools.approve.title')}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {parts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere">
              <Value text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {parts.some(([, value]) => hasDeceptivePiece(seenPieces(value))) && (
        <p className="text-xs text-warn">{t('approval.strange')}</p>
      )}
      {isOnHost && <Notice kind="warning">{t('tools.approve.host')}</Notice>}
      <p className="text-sm text-soft">{t(definition.staysHere ? 'tools.approve.stays' : 'tools.approve.leaves')}</p>
      {onApprove !== null && (
        <Button look="primary" className="w-fit" disabled={isBusy} onClick={onApprove}>
          {t('tools.approve')}
        </Button>
      )}
    </div>
  );
}

function Value({ text }: { readonly text: string }): ReactNode {
  return <SeenPieces pieces={seenPieces(text)} />;
}

type Part = readonly [label: string, value: string];

function partsOf(definition: ServerDefinition): readonly Part[] {
  const named = (label: string, names: readonly string[]): readonly Part[] =>
    names.length === 0 ? [] : [[label, names.join(', ')]];
  if (definition.kind === 'http')
    return [
      [t('tools.fact.url'), definition.url],
      ...named(t('tools.fact.headers'), definition.headers),
      ...named(t('tools.fact.client'), definition.clientId === undefined ? [] : [definition.clientId]),
    ];
  if (definition.kind === 'composio') return composioParts(definition);
  const { command, args, env, where, hosts } = definition;
  return [
    [t('tools.fact.command'), command],
    ...args.map((arg, at): Part => [t('tools.fact.arg', { at: at + 1 }), arg]),
    ...named(t('tools.fact.env'), env),
    [t('tools.fact.place'), t(`tools.place.${where}`)],
    ...(where === 'host'
      ? []
      : [[t('tools.fact.reaches'), hosts.length === 0 ? t('tools.reaches.none') : hosts.join(', ')] as const]),
  ];
}

function composioParts({ url, user, toolkits, mode, directTools, workbench }: ComposioDefinition): readonly Part[] {
  return [
    [t('tools.fact.url'), url],
    [t('composio.fact.user'), user],
    [t('composio.fact.toolkits'), toolkits.length === 0 ? t('composio.allToolkits') : toolkits.join(', ')],
    [t('composio.fact.mode'), t(`composio.mode.${mode}`)],
    [t('composio.fact.tools'), t(directTools ? 'composio.tools.direct' : 'composio.tools.found')],
    [t('composio.fact.workbench'), t(workbench ? 'tools.on' : 'tools.off')],
  ];
}
