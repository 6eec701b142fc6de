import { Fragment } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { RouteDot } from '../../ui/figures/route-dot.tsx';

/** Where a way may run steps: on this machine, in the cloud, or in both. Its name begins with its policy. */
export function WayMark({ way }: { readonly way: string }) {
  const policy = /^[a-z]+/u.exec(way)?.[0];
  if (policy === 'local' || policy === 'cloud') return <RouteDot where={policy} />;
  return (
    <span aria-hidden="true" className="block size-2.5 shrink-0 overflow-hidden rounded-full bg-local">
      <span className="ml-1.25 block h-full bg-cloud" />
    </span>
  );
}

/** A way with its models by the names that people know: `local:ollama/qwen` is "local: Qwen". */
export function wayText(way: string, nameOf: (model: string) => string): string {
  return way.replaceAll(/(^[a-z]+:|[a-z]=)([^,=]+\/[^,]+)/gu, (_, place: string, model: string) =>
    place.endsWith(':') ? `${place} ${nameOf(model)}` : `${place}${nameOf(model)}`,
  );
}

/** The name of a way. A long one breaks after its parts, not inside of them. */
export function WayName({ way }: { readonly way: string }) {
  const nameOf = useModelName();
  const parts = seenName(wayText(way, nameOf)).split(/(?<=[,:/])/u);
  return parts.map((part, index) => (
    <Fragment key={`${index}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
