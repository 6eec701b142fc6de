import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { useActionOf } from '../../lib/window/navigation.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from './icon.tsx';

/** A heading with its content, in the inspector and in settings. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2 not-first:mt-6">
      <h3 className="text-sm font-semibold text-soft">{title}</h3>
      {children}
    </section>
  );
}

interface FactsProps {
  /** Label and value; a null value is left out. */
  readonly facts: readonly (readonly [string, ReactNode])[];
}

/** Labels and values, one a line. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      {facts
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="text-right tabular-nums wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface EmptyProps {
  /** For a view that has nothing else. A part of a view has no icon. */
  readonly icon?: IconName;
  /** The main action here, by the id of the window's action. Not shown while it is unavailable. */
  readonly action?: 'new' | 'message';
  readonly children: ReactNode;
}

/** What a place says when it is empty, and what the user can do about it. */
export function Empty({ icon, action, children }: EmptyProps) {
  const words = <p className="py-6 text-center text-sm text-balance text-soft">{children}</p>;
  if (icon === undefined && action === undefined) return words;
  return (
    <div className={`flex flex-col items-center ${icon === undefined ? '' : 'pt-24'}`}>
      {icon !== undefined && (
        <span className="flex size-12 items-center justify-center rounded-xl border border-line bg-sunken text-soft">
          <Icon name={icon} className="size-5" />
        </span>
      )}
      {words}
      {action !== undefined && <EmptyAction id={action} />}
    </div>
  );
}

function EmptyAction({ id }: { readonly id: 'new' | 'message' }) {
  const run = useActionOf()(id);
  return (
    run !== null && (
      <Button size="small" onClick={run}>
        {t(`empty.${id}`)}
      </Button>
    )
  );
}
