import type { FenceSources } from '@shared/safety/fences.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { AgentDependencies } from '../../agent/turn/agent-dependencies.ts';
import type { ActiveRules, RuleFiles } from '../rule-files.ts';

/** The rules of one session, read at every call. `held`: routing rules to use instead. */
export function createSessionRules(
  { rules, settings }: { readonly rules: RuleFiles['activeRules']; readonly settings: () => Settings },
  projectPath: string | null,
  held?: () => readonly RouteRule[] | undefined,
): { readonly places: AgentDependencies['routeRules']; readonly fences: () => Promise<FenceSources> } {
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
