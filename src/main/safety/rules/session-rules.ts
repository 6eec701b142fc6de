import type { FenceSources } from '@shared/safety/fences.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { ActiveRules, RuleFiles } from '../rule-files.ts';

/** Where the user's rules let a step run, and what is wrong with them. */
export interface RouteRules {
  readonly rules: readonly RouteRule[];
  readonly problems: readonly string[];
}

/** The rules of one session, read at every call. `held`: routing rules to use instead. */
export function createSessionRules(
  { rules, settings }: { readonly rules: RuleFiles['activeRules']; readonly settings: () => Settings },
  projectPath: string | null,
  held?: () => readonly RouteRule[] | undefined,
): { readonly places: () => Promise<RouteRules>; readonly fences: () => Promise<FenceSources> } {
  return {
    places: async () => {
      const { places, problems } = await rules(projectPath);
      return { rules: held?.() ?? places, problems };
    },
    fences: async () => fenceSources(await rules(projectPath), settings()),
  };
}

/** The fences of a session: those of the rule files, then those of the settings. */
export function fenceSources(rules: ActiveRules, { fences }: Settings): FenceSources {
  return {
    secrets: fences.secrets,
    rules: [...rules.fences, ...fences.rules],
    projectRules: rules.projectFences,
    shut: rules.shut,
  };
}
