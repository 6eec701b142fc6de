import type { ComparisonPolicy } from '@shared/comparisons/comparison.ts';
import { RouteDot } from '../../ui/figures/route-dot.tsx';

/** Where a policy may run steps: on this machine, in the cloud, or in both. */
export function PolicyMark({ policy }: { readonly policy: ComparisonPolicy }) {
  if (policy === 'local' || policy === 'cloud') return <RouteDot where={policy} />;
  return (
    <span aria-hidden="true" className="block size-2.5 shrink-0 overflow-hidden rounded-full bg-local">
      <span className="ml-1.25 block h-full bg-cloud" />
    </span>
  );
}
