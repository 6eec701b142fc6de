import type { SessionState } from '@shared/session-state.ts';
import { t } from '../../lib/texts.ts';
import { Empty, Facts, Section } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Where commands run and what holds them. */
export function SandboxTab({ state }: { readonly state: SessionState }) {
  const { sandbox, workspace } = state;
  if (sandbox === null) return <Empty>{t('sandbox.none')}</Empty>;
  return (
    <>
      <p className="flex items-center gap-2 text-sm font-semibold">
        <Icon name="shield" /> {t(`sandbox.tier.${sandbox.tier}`)}
      </p>
      <p className="mt-1 text-sm text-soft">{t(`sandbox.tierText.${sandbox.tier}`)}</p>
      {sandbox.lost !== null && (
        <Notice kind="warning" className="mt-3">
          {t('sandbox.lost', { reason: sandbox.lost })}
        </Notice>
      )}
      <p className="mt-3 text-sm wrap-anywhere">{sandbox.description}</p>
      <Section title={t('sandbox.workspace')}>
        <p className="font-mono text-xs wrap-anywhere">{workspace?.path}</p>
        {sandbox.image !== null && (
          <p className="font-mono text-xs text-soft wrap-anywhere">
            {t('sandbox.image')} {sandbox.image}
          </p>
        )}
      </Section>
      {Object.keys(sandbox.limits).length > 0 && (
        <Section title={t('sandbox.limits')}>
          <Facts facts={Object.entries(sandbox.limits).map(([name, value]) => [words(name), valueText(value)])} />
        </Section>
      )}
    </>
  );
}

/** `memoryMb` as people write it: `memory mb`. */
function words(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/gu, '$1 $2').toLowerCase();
}

function valueText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? t(value ? 'sandbox.yes' : 'sandbox.no') : String(value);
}
