import { createHash } from 'node:crypto';
import type { ComparisonInput, HeldRoutes } from '@shared/comparison.ts';
import { isWithin } from '@shared/fences.ts';
import type { RouteRule } from '@shared/route-rules.ts';
import type { Routing } from '@shared/routing.ts';
import { runOptionsSchema } from '@shared/run-options.ts';
import type { Settings } from '@shared/settings.ts';
import { settingsOfProject } from '@shared/settings-of-project.ts';
import type { LearnedPriors } from '../../routing/learned-priors.ts';
import type { HoldingRules, RuleFiles } from '../../policy/rule-files.ts';
import { turnOptions } from '../open/turn-options.ts';

/** What one session is routed by in place of what is set when its turns begin. */
export interface RoutingSnapshot {
  /** Null: as is set. */
  readonly routing: Routing | null;
  readonly rules: readonly RouteRule[];
}

export interface RoutingSnapshotTaker {
  /** What the runs of a comparison go by if they begin now. */
  readonly now: (input: ComparisonInput) => Promise<HeldRoutes>;
  /** Changes with what is fenced or masked in a project. */
  readonly fences: (projectPath: string) => Promise<string>;
}

export function createRoutingSnapshotTaker(options: {
  readonly settings: () => Settings;
  readonly rules: RuleFiles['holding'];
  readonly priors: Pick<LearnedPriors, 'given'>;
}): RoutingSnapshotTaker {
  const { settings, rules, priors } = options;
  const hashOf = (projectPath: string, { fences, projectFences, masks, shut }: HoldingRules): string => {
    const { secrets, rules: all } = settings().fences;
    const own = all.filter(({ project }) => project === undefined || isWithin(projectPath, project));
    const what = JSON.stringify([fences, projectFences, masks, shut, secrets, own]);
    return createHash('sha256').update(what).digest('hex');
  };
  return {
    now: async (input) => {
      const { projectPath, local, cloud, policies } = input;
      const usual = settingsOfProject(settings(), projectPath);
      const routing: Record<string, Routing> = {};
      for (const policy of policies) {
        const asked = turnOptions(usual, runOptionsSchema.parse({ policy, local, cloud }));
        const given = (await priors.given(asked)).routing;
        if (given !== null) routing[policy] = given;
      }
      const { maxSteps, maxMinutes, maxTokens } = usual.limits;
      const holding = await rules(projectPath);
      const limits = { maxSteps, maxMinutes, maxTokens };
      return { limits, routing, rules: [...holding.places], fences: hashOf(projectPath, holding) };
    },
    fences: async (projectPath) => hashOf(projectPath, await rules(projectPath)),
  };
}
