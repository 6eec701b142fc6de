import { AppError } from '@shared/errors.ts';
import { compileFences, globMatcher } from '@shared/safety/fences.ts';
import { matchingRule, ruleText } from '@shared/routing/route-rules.ts';
import type { RuleAnswer, RuleReport } from '@shared/rules/rule-report.ts';
import type { RuleQuestion } from '@shared/contract/rules-contract.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { Handlers } from '../server/handlers.ts';
import type { ActiveRules, RuleFiles } from './rule-files.ts';
import { fenceSources } from './rules/session-rules.ts';
import { isSecretFile } from '../sandbox/workspace/secret-files.ts';

export interface RuleCommandsOptions {
  readonly files: RuleFiles;
  readonly settings: () => Settings;
  readonly approve: (approved: Settings['rules']['approved']) => Promise<unknown>;
}

/** The commands that show and change the user's rules. */
export function createRuleCommands(options: RuleCommandsOptions): Handlers['rules'] {
  const { files, settings } = options;
  const report = async (projectPath: string | null): Promise<RuleReport> => ({
    files: await files.files(projectPath),
  });
  return {
    show: ({ input }) => report(input.projectPath),
    check: ({ input }) => files.check(input, input.text),
    save: async ({ input: { owner, projectPath, text, hash, approve } }) => {
      await files.save({ owner, projectPath }, text, hash);
      const [saved] = (await files.files(projectPath)).filter((file) => file.owner === owner);
      if (approve && owner === 'project' && projectPath !== null && typeof saved?.hash === 'string') {
        await options.approve({ ...settings().rules.approved, [projectPath]: saved.hash });
      }
      return report(projectPath);
    },
    test: async ({ input }) => answerOf(await rulesAskedAbout(files, input), settings(), input),
    approve: async ({ input: { projectPath, hash } }) => {
      const file = (await files.files(projectPath)).find(({ owner }) => owner === 'project');
      if (file?.hash !== hash) {
        throw new AppError(
          'conflict',
          'The rules of the project changed since you looked at them. Nothing was approved.',
          {
            hint: 'Look at them again, then approve them.',
          },
        );
      }
      await options.approve({ ...settings().rules.approved, [projectPath]: hash });
      return report(projectPath);
    },
  };
}

function rulesAskedAbout(files: RuleFiles, { projectPath, draft }: RuleQuestion): Promise<ActiveRules> {
  if (draft === undefined) return files.activeRules(projectPath);
  return files.draft({ owner: draft.owner, projectPath }, draft.text);
}

function answerOf(rules: ActiveRules, settings: Settings, question: RuleQuestion): RuleAnswer {
  const { path, task, purpose, projectPath } = question;
  const place = matchingRule(rules.places, { task, purpose, paths: path === '' ? [] : [path] });
  const fences = compileFences({ settings: fenceSources(rules, settings), projectPath, isSecretFile });
  const hit = path === '' ? null : fences.ofPath(path);
  const mask = path === '' ? undefined : rules.masks.find((glob) => globMatcher(glob)(path));
  const isKept = rules.shut !== null || hit?.verdict === 'local-only';
  return {
    place:
      place === null
        ? null
        : place.where === 'cloud' && isKept
          ? {
              where: 'local',
              text: `A fence keeps it here, and goes over every rule on where steps run. ${ruleText(place)}`,
            }
          : { where: place.where, text: ruleText(place) },
    fence:
      rules.shut === null
        ? hit && { verdict: hit.verdict, text: hit.rule }
        : { verdict: 'local-only', text: `${rules.shut}.` },
    mask: mask ?? null,
  };
}
