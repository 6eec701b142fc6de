import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { isRecord } from '@shared/unknown-value.ts';

/**
 * Catches: an option of a run that has to be added in many places, and a message that is copied into one more shape on
 * its way from the composer to the wire.
 *
 * How it counts an option: a file counts where its name stands in the code, as a name or as the key of a text, but not in
 * a comment or a longer text. Files that use the value are not counted, nor is what other programs call the same. What is
 * left only passes the option on.
 *
 * How it counts shapes: each type or schema with a member for the words of a message and one for its attachments is such
 * a shape. Those of `shapes` are the way; those of `beside` are something else. A new one belongs into one of the two.
 */
const root = resolve(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/u.test(path))
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted();

type Node = Readonly<Record<string, unknown>>;
type Visit = (node: Node, type: string) => void;

/** `type`: the interface or type alias around it; empty: none. */
function walk(value: unknown, type: string, visit: Visit): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, type, visit);
    return;
  }
  if (!isRecord(value)) return;
  const isNamed = value.type === 'TSInterfaceDeclaration' || value.type === 'TSTypeAliasDeclaration';
  const name = isNamed && isRecord(value.id) && typeof value.id.name === 'string' ? value.id.name : type;
  visit(value, name);
  for (const child of Object.values(value)) walk(child, name, visit);
}

const trees = new Map(
  files.map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [path, parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })] as const;
  }),
);

function filesNaming(option: string): readonly string[] {
  return files.filter((path) => {
    const inKey = new RegExp(String.raw`^(?:[a-z]+\.)?${option}(?:\.\w+)?$`, 'u');
    let isNamed = false;
    walk(trees.get(path), '', (node) => {
      isNamed ||= node.type === 'Identifier' && node.name === option;
      isNamed ||= node.type === 'Literal' && typeof node.value === 'string' && inKey.test(node.value);
    });
    return isNamed;
  });
}

interface Counted {
  /** The files that use its value. Each must name it. */
  readonly uses: readonly string[];
  /** Where the word is a word of other programs, or a setting of something else. */
  readonly others: RegExp;
}

const options: Readonly<Record<string, Counted>> = {
  thinking: {
    // The second keeps it when a talk moves into a project.
    uses: ['main/agent/preparation/gather-turn-facts.ts', 'shared/session/reducers/reduce-messages.ts'],
    // The choice of a model or of a way, the end of a turn that none can do, protocols, the phase of an answer, a recorded call, the setting of a model.
    others:
      /^main\/(?:agent\/turn\/|routing\/|sessions\/open\/way-of-kind|models\/|hosts\/api\/|hosts\/cli\/(?:terminal|commands\/models)\/)|^shared\/models\/|^renderer\/(?:features\/(?:models|conversation\/steps)\/|texts\/en-settings)/u,
  },
  maxMinutes: {
    uses: [
      'main/agent/turn/run-turn.ts',
      'main/agent/turn/turn-limits.ts',
      'main/sessions/children/child-options.ts',
      'shared/money/recipe-runs.ts',
    ],
    // Fixed limits of single calls, and the limit of a whole calibration.
    others:
      /^main\/(?:agent\/step\/|endpoint\/|models\/probe-model|sessions\/calibrations\/|hosts\/cli\/commands\/projects\/calibrate)|^shared\/calibration\//u,
  },
};

const ofWords: readonly string[] = ['text', 'task', 'parts'];
const ofFiles: readonly string[] = ['attachments', 'attached', 'gathered'];

/** `path type` of each type that holds a message; a type without a name has that of its file alone. */
function messageShapes(): readonly string[] {
  const found = new Set<string>();
  for (const [path, tree] of trees) {
    walk(tree, '', (node, type) => {
      const members = membersOf(node, path);
      const holds = (names: readonly string[]): boolean => members.some((one) => names.includes(one));
      if (holds(ofWords) && holds(ofFiles)) found.add(`${path} ${type}`.trim());
    });
  }
  return [...found];
}

/** The names of the members of a type, or of a schema in `shared`. */
function membersOf(node: Node, path: string): readonly string[] {
  const isSchema = node.type === 'ObjectExpression' && path.startsWith('shared/');
  const isType = node.type === 'TSInterfaceBody' || node.type === 'TSTypeLiteral';
  const members = isSchema ? node.properties : isType ? (node.body ?? node.members) : [];
  return (Array.isArray(members) ? members : []).flatMap((one: unknown) => {
    const key = isRecord(one) && isRecord(one.key) ? (one.key.name ?? one.key.value) : null;
    return typeof key === 'string' ? [key] : [];
  });
}

/** The shapes of one message on its way. The last three hold it among others, so they are named by hand. */
const shapes = {
  'shared/contract/sessions-contract.ts': 'what the composer sends',
  'main/sessions/open/open-sessions.ts': 'with its assistant and its files',
  'shared/events/conversation-events.ts': 'in the log',
  'main/sessions/journal/queued-message.ts QueuedMessage': 'waiting for its turn',
  'main/recipes/conversation-entries.ts UserEntry': 'in the conversation',
  'main/agent/turn/turn.ts Turn': 'the task of a turn',
  'shared/models/model-messages.ts Message': 'for a model',
  'main/models/wire': 'as a service takes it',
} as const;

/** Fields of forms, parts of the page, what is shown of the log, and what is asked about a message without sending it. */
const beside =
  /^renderer\/|^shared\/attachments\/attachment-inputs\.ts|session-state\.ts MessageState$|^main\/hosts\/(?:acp\/read-prompt\.ts ReadPrompt|text\/(?:follow-turn|preview-files)\.ts \w+|cli\/commands\/chat\.command\.ts)$/u;

describe('a message', () => {
  it('takes at most 8 forms from the composer to the wire', () => {
    const ways: readonly string[] = Object.keys(shapes);
    const found = messageShapes();
    expect(found.filter((one) => !beside.test(one) && !ways.includes(one))).toEqual([]);
    expect(ways.slice(0, 5).filter((one) => !found.includes(one))).toEqual([]);
    expect(ways.length).toBeLessThanOrEqual(8);
  });
});

describe('an option of a run', () => {
  it.each(Object.entries(options))('is named in at most 6 files that only pass it on: %s', (name, { uses, others }) => {
    const naming = filesNaming(name).filter((path) => !others.test(path));
    expect(uses.filter((path) => !naming.includes(path))).toEqual([]);
    const passing = naming.filter((path) => !uses.includes(path));
    process.stdout.write(`${name} is passed on by ${passing.length} files\n`);
    expect(passing.length, passing.join('\n')).toBeLessThanOrEqual(6);
  });
});
