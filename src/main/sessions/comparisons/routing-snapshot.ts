import type { Way } from '@shared/comparisons/way.ts';
import type { ComparisonInput, ComparisonRouting } from '@shared/comparisons/comparison.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { isWithin } from '@shared/safety/fences.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import type { Routing } from '@shared/routing/routing.ts';
import { effortOption } from '@shared/session/chosen-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import type { RouteRecord } from '../../routing/record/route-record.ts';
import type { ActiveRules, RuleFiles } from '../../safety/rule-files.ts';
import { turnOptions } from '../../settings/turn-options.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The routing of one session, instead of the settings at the start of its turns. */
export interface RoutingSnapshot {
  /** Null: as in the settings. */
  readonly routing: Routing | null;
  readonly rules: readonly RouteRule[];
}

export interface RoutingSnapshotTaker {
  /** The routing for the runs of a comparison that starts now. */
  readonly now: (input: ComparisonInput) => Promise<ComparisonRouting>;
  /** A text that changes whenever the fences or masks of a project change. */
  readonly fences: (projectPath: string) => Promise<string>;
}

export function createRoutingSnapshotTaker(options: {
  readonly settings: () => Settings;
  readonly rules: RuleFiles['activeRules'];
  readonly record: Pick<RouteRecord, 'given'>;
}): RoutingSnapshotTaker {
  const { settings, rules, record } = options;
  const hashOf = (projectPath: string, { fences, projectFences, masks, shut }: ActiveRules): string => {
    const { secrets, rules: all } = settings().fences;
    const own = all.filter(({ project }) => project === undefined || isWithin(projectPath, project));
    const what = JSON.stringify([fences, projectFences, masks, shut, secrets, own]);
    return sha256Of(what);
  };
  return {
    now: async (input) => {
      const { projectPath, local, cloud, ways } = input;
      const usual = settingsForProject(settings(), projectPath);
      const routing: Record<string, Routing> = {};
      for (const way of ways) {
        const { assistant: _, effort, plan, ...choices } = way;
        const asked = turnOptions(usual, runOptionsSchema.parse({ local, cloud, ...choices, ...effortOption(effort) }));
        const given = (await record.given(asked, projectPath)).routing;
        if (given !== null) routing[wayName(way)] = plan === undefined ? given : withPlan(given, plan);
      }
      const holding = await rules(projectPath);
      return { limits: { ...usual.limits }, routing, rules: [...holding.places], fences: hashOf(projectPath, holding) };
    },
    fences: async (projectPath) => hashOf(projectPath, await rules(projectPath)),
  };
}

function withPlan({ profile, numbers }: Routing, plan: NonNullable<Way['plan']>): Routing {
  return { profile, numbers: { ...numbers, roles: { ...numbers.roles, plan } } };
}
