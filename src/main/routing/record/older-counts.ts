import { z } from 'zod';
import { type Priors, priorsSchema, type Tally } from '@shared/routing/priors.ts';
import type { TaskOutcome } from '@shared/routing/outcomes.ts';
import { purposeSchema } from '@shared/events/call-events.ts';

/** The file of earlier versions: sums of the whole home, and of each project by its key. */
export const olderCountsSchema = z.union([
  z.strictObject({ version: z.literal(1), priors: priorsSchema }),
  z.strictObject({ version: z.literal(2), priors: priorsSchema, projects: z.record(z.string(), priorsSchema) }),
]);
export type OlderCounts = z.infer<typeof olderCountsSchema>;

/** Earlier sums as outcomes with weights. What the home has beyond its projects counts for no project. */
export function outcomesOfCounts(file: OlderCounts): readonly TaskOutcome[] {
  const projects = file.version === 1 ? {} : file.projects;
  const named = Object.entries(projects).flatMap(([project, priors]) =>
    outcomesIn(project, priors, () => ({ tries: 0, solved: 0 })),
  );
  const rest = outcomesIn('elsewhere', file.priors, (model, purpose) => sumOf(Object.values(projects), model, purpose));
  return [...named, ...rest].filter(({ weight = 1 }) => weight > 0.01);
}

type Counts = Pick<Tally, 'tries' | 'solved'>;

function outcomesIn(
  project: string,
  priors: Priors,
  without: (model: string, purpose: string) => Counts,
): readonly TaskOutcome[] {
  return Object.entries(priors).flatMap(([model, purposes]) =>
    Object.entries(purposes).flatMap(([name, tally]) => {
      const purpose = purposeSchema.safeParse(name).data;
      const less = without(model, name);
      const [tries, solved] = [tally.tries - less.tries, tally.solved - less.solved];
      if (purpose === undefined || tries <= 0) return [];
      const each = { calls: (tally.calls ?? 0) / tally.tries, written: written(tally) };
      const of = (isSolved: boolean, weight: number): readonly TaskOutcome[] =>
        weight <= 0
          ? []
          : [
              {
                id: `count/${project}/${model}/${purpose}/${isSolved ? 'solved' : 'failed'}`,
                at: tally.at,
                project,
                language: '',
                kind: 'repair',
                solved: isSolved,
                by: 'count',
                policy: 'hybrid',
                first: { model, version: '', where: 'local' },
                fails: null,
                hasCloudTried: false,
                usd: null,
                seconds: null,
                work: [{ model, version: '', purpose, solved: isSolved, ...each }],
                weight,
              },
            ];
      return [...of(true, Math.min(tries, Math.max(0, solved))), ...of(false, tries - Math.max(0, solved))];
    }),
  );
}

function written({ tries, written: sum }: Tally): number | null {
  return sum === undefined ? null : sum / tries;
}

function sumOf(all: readonly Priors[], model: string, purpose: string): Counts {
  return all.reduce<Counts>(
    (sum, priors) => {
      const one = priors[model]?.[purpose];
      return one === undefined ? sum : { tries: sum.tries + one.tries, solved: sum.solved + one.solved };
    },
    { tries: 0, solved: 0 },
  );
}
