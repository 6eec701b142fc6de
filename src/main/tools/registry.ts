import { collectDefinitions } from '../lib/discovered-definitions.ts';
import type { Tool, ToolDefinition, ToolDependencies } from './define.ts';

/** Tool definitions by name. Throws for a second tool of the same name and for a file without a definition. */
export function createToolRegistry(modules: Readonly<Record<string, unknown>>): ReadonlyMap<string, ToolDefinition> {
  return collectDefinitions<ToolDefinition>(modules, {
    what: 'tool',
    parts: { name: 'string', input: 'object', create: 'function', label: 'function' },
    nameOf: ({ name }) => name,
  });
}

/** Every `*.tool.ts` of this folder, and those in `project/`, which need a part of the project. */
export function discoverTools(): ReadonlyMap<string, ToolDefinition> {
  return createToolRegistry(import.meta.glob('./{*,project/*}.tool.ts', { eager: true, import: 'default' }));
}

/** The tools that Dewpoint brings. Connected tools come with each turn (`connected/connected-tool.ts`). */
export function builtInTools(
  definitions: ReadonlyMap<string, ToolDefinition>,
  dependencies: ToolDependencies,
): readonly Tool[] {
  return [...definitions.values()].map((definition) => createTool(definition, dependencies));
}

/** Input reaches `run` only after the schema of the definition has parsed it. */
function createTool(definition: ToolDefinition, dependencies: ToolDependencies): Tool {
  const run = definition.create(dependencies);
  return {
    name: definition.name,
    description: definition.description,
    access: definition.access,
    input: definition.input,
    ...(definition.needs === undefined ? {} : { needs: definition.needs }),
    ...(definition.isForStrong === true ? { isForStrong: true } : {}),
    ...(definition.isForSight === true ? { isForSight: true } : {}),
    label: (input) => definition.label(definition.input.parse(input)),
    run: async (input, context) => run(definition.input.parse(input), context),
  };
}
