import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouteRule } from '@shared/route-rules.ts';
import { parseRouteRules } from '@shared/route-rules.ts';

/** The rules that hold for a turn, and what was wrong with the files that they come from. */
export interface FoundRules {
  readonly rules: readonly RouteRule[];
  readonly problems: readonly string[];
}

export interface RuleFiles {
  /** A person's own rules first, then those of the project. Never rejects. */
  readonly load: (projectPath: string | null) => Promise<FoundRules>;
}

const ruleFileName = 'routes.rules';
const MAX_BYTES = 65_536;

/** Where a project keeps its rules. */
const projectRuleFile = join('.dewpoint', ruleFileName);

/**
 * Reads the rules anew for each turn. A file with an error counts as it was when it was last right. Rules of a project
 * come with its files, from whoever wrote them: they can keep work on this machine, never send it away.
 */
export function createRuleFiles(home: string): RuleFiles {
  const good = new Map<string, readonly RouteRule[]>();
  const read = async (path: string, name: string): Promise<FoundRules> => {
    const text = await readRules(path);
    if (text === null) {
      good.delete(path);
      return { rules: [], problems: [] };
    }
    const { rules, errors } = parseRouteRules(text, name);
    if (errors.length === 0) {
      good.set(path, rules);
      return { rules, problems: [] };
    }
    const kept = good.get(path);
    const stays = kept === undefined ? 'None of its rules holds.' : 'Its rules hold as they were before.';
    const problems = errors.map(({ line, text: what }) => `Line ${line} of ${path}: ${what}`);
    return { rules: kept ?? [], problems: [...problems, stays] };
  };
  return {
    load: async (projectPath) => {
      const own = await read(join(home, ruleFileName), 'your rules');
      if (projectPath === null) return own;
      const path = join(projectPath, projectRuleFile);
      const project = await read(path, 'the rules of the project');
      const kept = project.rules.filter(({ where }) => where === 'local');
      const left = project.rules.length - kept.length;
      const ignored =
        left === 0 ? [] : [`${path}: a project cannot send work to the cloud; ${left} of its rules are not heeded.`];
      return { rules: [...own.rules, ...kept], problems: [...own.problems, ...project.problems, ...ignored] };
    },
  };
}

/** Only a plain file of a plain size: what lies in a project may be a link to anything. Null: there are no rules. */
async function readRules(path: string): Promise<string | null> {
  try {
    const stat = await lstat(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? await readFile(path, 'utf8') : null;
  } catch {
    // No file, no rules.
    return null;
  }
}
