import { seenName } from '@shared/text/seen-text.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';

/** The name that people know a model by; what it is called in settings and logs on hover. */
export function ModelName({ id, className }: { readonly id: string; readonly className?: string }) {
  const nameOf = useModelName();
  return (
    <span title={seenName(id)} className={className}>
      {nameOf(id)}
    </span>
  );
}
