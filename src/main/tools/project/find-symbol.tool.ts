import { z } from 'zod';
import type { FoundNames } from '../../symbols/process/symbol-protocol.ts';
import { defineTool, forPerson } from '../define.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

export default defineTool({
  name: 'find_symbol',
  description: 'Find where a name is defined and what calls, imports or exports it, in the whole project.',
  access: 'read',
  needs: 'symbols',
  input: z.object({
    name: z.string().min(1).max(200).meta(forPerson('a name as it is written in the sources, such as Cart.add')),
  }),
  label: ({ name }) => `find ${name}`,
  create:
    () =>
    async ({ name }, { facts: { symbols }, signal }) => {
      if (symbols === null) return errorResult('There is no project here. Use search.');
      const found = await symbols.find([name], signal);
      if (!found.ok) return failureResult(found.error);
      return okResult(textOf(name, found.value), found.value);
    },
});

function textOf(name: string, { definitions, references, moreDefinitions, hasMoreReferences }: FoundNames): string {
  if (definitions.length === 0 && references.length === 0)
    return `No function, class, constant or import is named ${name}. It may be a parameter, an attribute or a text. Use search.`;
  const defined = definitions.map(
    ({ path, line, container, signature }) =>
      `${path}:${line}: ${container === null ? '' : `${container}: `}${signature}`,
  );
  const used = references.map(({ path, line, inside }) => `${path}:${line}${inside === null ? '' : `: in ${inside}`}`);
  const lines = [
    defined.length === 0 ? 'Defined nowhere in the project.' : 'Defined:',
    ...defined,
    ...(moreDefinitions > 0 ? [`… and ${moreDefinitions} more definitions`] : []),
    used.length === 0
      ? 'Used nowhere by this name.'
      : 'Used, by the name alone, so another thing of this name may be meant:',
    ...used,
    ...(hasMoreReferences ? ['… and more uses'] : []),
  ];
  return lines.join('\n');
}
