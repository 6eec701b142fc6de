import type { PromptTemplate } from '../../src/shared/session/prompt-templates.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { Handlers } from '../../src/main/server/handlers.ts';

/** The user's prompts in memory: those for everywhere in `general`, those of a project by its key. */
export function templateHandlers(general: { templates: readonly PromptTemplate[] }): Handlers['templates'] {
  const projects = new Map<string, readonly PromptTemplate[]>();
  const inPlace = (key: string | null): readonly PromptTemplate[] =>
    key === null ? general.templates : (projects.get(key) ?? []);
  const put = (key: string | null, templates: readonly PromptTemplate[]): void => {
    const sorted = templates.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    if (key === null) general.templates = sorted;
    else projects.set(key, sorted);
  };
  const remove = (key: string | null, name: string): void =>
    put(
      key,
      inPlace(key).filter((one) => one.name !== name),
    );
  return {
    list: ({ input }) => {
      const key = input?.projectPath ?? null;
      const here = key === null ? [] : inPlace(key);
      const others = inPlace(null).filter(({ name }) => !here.some((one) => one.name === name));
      return {
        folder: '/home/prompts',
        projectFolder: here.length === 0 ? null : '/home/projects/k3f9a2b7c4d1/prompts',
        templates: [...here, ...others],
      };
    },
    save: ({ input: { name, text, projectPath = null, before } }) => {
      const isKept = before !== undefined && before.name === name && before.projectPath === projectPath;
      if (!isKept && inPlace(projectPath).some((one) => one.name === name))
        throw new AppError('conflict', `There is a prompt /${name} already.`, { hint: 'Nothing was changed.' });
      if (before !== undefined) remove(before.projectPath, before.name);
      const saved = { name, text, ...(projectPath === null ? {} : { isOfProject: true as const }) };
      put(projectPath, [...inPlace(projectPath).filter((one) => one.name !== name), saved]);
    },
    remove: ({ input: { name, projectPath = null } }) => remove(projectPath, name),
  };
}
