import { readFileSync, readdirSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { isRecord } from '@shared/unknown-value.ts';

/**
 * Catches: an interface that everything is handed through, so that what only one place needs passes four others, and a
 * role of a model or provider that grows back into one long row of optional members.
 */
const root = resolve(import.meta.dirname, '../..');
const mostMembers = 15;

/**
 * The types that are longer, with the most members that each may have; null: data, which may grow. This table only
 * shrinks: what gets shorter than the limit is taken out.
 */
const known: Readonly<Record<string, readonly [members: number | null, why: string]>> = {
  'hosts/cli/program/program.ts Handlers': [43, 'one function for each subcommand'],
  'hosts/cli/commands/compare.command.ts CompareArguments': [null, 'options of a subcommand: data'],
  'hosts/cli/program/tools-program.ts ToolsArguments': [null, 'options of a subcommand: data'],
  'models/files/stored-model.ts StoredModel': [null, 'what is known of a model file: data'],
  'models/providers/chat-completions/chat-presets.ts ChatPreset': [null, 'what is known of a service: data'],
  'routing/define.ts ChoiceFacts': [null, 'facts of a decision: data'],
  'routing/trajectory/trajectory.ts Trajectory': [null, 'facts of a turn so far: data'],
  'sandbox/docker/container/container-create-body.ts ContainerPlan': [null, 'a container as it is to be: data'],
  'sandbox/docker/container/session-container-options.ts SessionContainerOptions': [null, 'options: data'],
};

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => isRecord(value);
const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
function nameIn(node: unknown): string {
  if (!isNode(node)) return '';
  const name = node.name ?? node.value ?? null;
  return typeof name === 'string' ? name : nameIn(node.expression ?? node.right);
}

interface Parsed {
  /** Interfaces and type aliases, by name. */
  readonly types: ReadonlyMap<string, Node>;
  /** The file that a name is imported from, and its name there. */
  readonly imports: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly body: readonly Node[];
}

const files = new Map<string, Parsed | null>();

function parsed(path: string): Parsed | null {
  const before = files.get(path);
  if (before !== undefined) return before;
  const made = path.endsWith('.ts') ? parse(path) : null;
  files.set(path, made);
  return made;
}

function parse(path: string): Parsed {
  const types = new Map<string, Node>();
  const imports = new Map<string, { readonly path: string; readonly name: string }>();
  const tree: unknown = parseAst(readFileSync(join(root, path), 'utf8'), { lang: 'ts' });
  const body = isNode(tree) ? nodesIn(tree.body) : [];
  for (const statement of body) {
    const declared = isNode(statement.declaration) ? statement.declaration : statement;
    if (declared.type === 'TSInterfaceDeclaration' || declared.type === 'TSTypeAliasDeclaration')
      types.set(nameIn(declared.id), declared);
    if (statement.type !== 'ImportDeclaration') continue;
    const from = nameIn(statement.source);
    const target = from.startsWith('@shared/')
      ? `src/shared/${from.slice('@shared/'.length)}`
      : posix.normalize(posix.join(posix.dirname(path), from));
    for (const one of nodesIn(statement.specifiers))
      if (from.startsWith('.') || from.startsWith('@shared/'))
        imports.set(nameIn(one.local), { path: target, name: nameIn(one.imported) });
  }
  return { types, imports, body };
}

const counted = new WeakMap<Node, ReadonlySet<string>>();

/** The members of a type, as far as it is written in this repository: what a package declares has none. */
function membersOf(path: string, type: unknown, depth = 0): ReadonlySet<string> {
  const none: ReadonlySet<string> = new Set();
  if (!isNode(type) || depth > 20) return none;
  const of = (other: unknown): ReadonlySet<string> => membersOf(path, other, depth + 1);
  switch (type.type) {
    case 'TSTypeLiteral':
      return namesOf(nodesIn(type.members));
    case 'TSInterfaceDeclaration': {
      const own = namesOf(isNode(type.body) ? nodesIn(type.body.body) : []);
      return joined([own, ...nodesIn(type.extends).map((one) => reference(path, one.expression, one, depth))]);
    }
    case 'TSTypeAliasDeclaration':
    case 'TSParenthesizedType':
      return of(type.typeAnnotation);
    case 'TSIntersectionType':
      return joined(nodesIn(type.types).map(of));
    case 'TSTypeReference':
      return reference(path, type.typeName, type, depth);
    default:
      return none;
  }
}

function reference(path: string, named: unknown, node: Node, depth: number): ReadonlySet<string> {
  const name = nameIn(named);
  const given = isNode(node.typeArguments) ? nodesIn(node.typeArguments.params) : [];
  const [inner, keys] = [membersOf(path, given[0], depth + 1), literals(given[1])];
  if (name === 'Pick') return new Set(keys);
  if (name === 'Omit') return new Set([...inner].filter((key) => !keys.includes(key)));
  if (['Partial', 'Required', 'Readonly'].includes(name)) return inner;
  const file = parsed(path);
  const from = file?.types.has(name) === true ? { path, name } : file?.imports.get(name);
  const declared = from === undefined ? undefined : parsed(from.path)?.types.get(from.name);
  if (from === undefined || declared === undefined) return new Set();
  const before = counted.get(declared);
  const members = before ?? membersOf(from.path, declared, depth + 1);
  counted.set(declared, members);
  return members;
}

function literals(type: unknown): readonly string[] {
  if (!isNode(type)) return [];
  if (type.type === 'TSUnionType') return nodesIn(type.types).flatMap(literals);
  return type.type === 'TSLiteralType' ? [nameIn(type.literal)] : [];
}

const namesOf = (members: readonly Node[]): ReadonlySet<string> =>
  new Set(members.map((member) => nameIn(member.key)).filter((name) => name !== ''));
const joined = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => new Set(sets.flatMap((one) => [...one]));

/** The named types of every parameter in a file, but for data that only passes through: an event, a message. */
function* parameterTypes(node: unknown): Iterable<Node> {
  if (Array.isArray(node)) for (const one of node) yield* parameterTypes(one);
  if (!isNode(node)) return;
  for (const parameter of nodesIn(node.params)) {
    const target = isNode(parameter.left) ? parameter.left : parameter;
    const type = isNode(target.typeAnnotation) ? target.typeAnnotation.typeAnnotation : null;
    if (isNode(type)) yield type;
  }
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') yield* parameterTypes(value);
}

/** The type that is named, also inside of `Omit<…>` and the like. */
function named(type: Node): string {
  const name = nameIn(type.typeName);
  const [inner] = isNode(type.typeArguments) ? nodesIn(type.typeArguments.params) : [];
  return inner !== undefined && ['Pick', 'Omit', 'Partial', 'Required', 'Readonly'].includes(name)
    ? named(inner)
    : name;
}

/** The long types of a file's parameters. Those of shared are facts: an event, a state, what is known of a model. */
function bagsOf(path: string): readonly (readonly [string, number])[] {
  return [...parameterTypes(parsed(path)?.body)].flatMap((type) => {
    const count = membersOf(path, type).size;
    const from = parsed(path)?.imports.get(named(type))?.path ?? path;
    if (count <= mostMembers || from.startsWith('src/shared/')) return [];
    return [[`${from.replace('src/main/', '')} ${named(type)}`, count] as const];
  });
}

function mostOf(name: string): number {
  const most = known[name]?.[0];
  return most === null ? Number.POSITIVE_INFINITY : (most ?? mostMembers);
}

describe('a parameter in main', () => {
  it(`has at most ${mostMembers} members, except for those that are known`, () => {
    const paths = readdirSync(join(root, 'src/main'), { recursive: true, encoding: 'utf8' })
      .map((path) => `src/main/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts'));
    const long = [...new Map(paths.flatMap(bagsOf))];
    expect(long.filter(([name, count]) => count > mostOf(name))).toEqual([]);
    const still = new Set(long.map(([name]) => name));
    expect(Object.keys(known).filter((name) => !still.has(name))).toEqual([]);
  });
});

describe('a role of a provider', () => {
  it.each(['LanguageModel', 'ModelSource', 'ModelServer', 'LocalStore', 'Provider'])(
    'has at most six required members and three more: %s',
    (name) => {
      const own = parsed('src/main/models/providers/define.ts')?.types.get(name)?.body;
      const members = isNode(own) ? nodesIn(own.body) : [];
      expect(members.filter(({ optional }) => optional !== true).length).toBeLessThanOrEqual(6);
      expect(members.filter(({ optional }) => optional === true).length).toBeLessThanOrEqual(3);
    },
  );
});
