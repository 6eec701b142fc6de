import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The entries of a person's own way to drive a model, as `models set` names them. */
export const drivingNames = [
  'calls',
  'strategies',
  'toolBudget',
  'promptForm',
  'edits',
  'temperature',
  'topP',
  'systemText',
] as const;
export type DrivingName = (typeof drivingNames)[number];

/** As they are typed; absent: as its probe found out. Several strategies with a comma between them. */
export type DrivingOverrides = Readonly<Partial<Record<DrivingName, string>>>;

/** What a person set of a model; null while it is not known. */
export function useDrivingOverrides(model: string): DrivingOverrides | null {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['settings', 'models'],
    queryFn: ({ signal }) => client.settings.get({ key: 'models' }, { signal }),
  });
  return data === undefined ? null : drivingOf(fieldOf(data, model));
}

function drivingOf(value: unknown): DrivingOverrides {
  return Object.fromEntries(
    drivingNames.flatMap((name) => {
      const entry = fieldOf(value, name);
      if (Array.isArray(entry)) return [[name, entry.join(',')]];
      return typeof entry === 'string' || typeof entry === 'number' ? [[name, String(entry)]] : [];
    }),
  );
}
