import { isContractProcedure, type AnyContractRouter } from '@orpc/contract';
import { createRouterClient } from '@orpc/server';
import { contract } from '../../src/shared/contract/contract.ts';
import { AppError } from '../../src/shared/errors.ts';
import { hostCommands } from '../../src/main/server/commands.ts';
import type { Handlers } from '../../src/main/server/handlers.ts';
import type { CoreClient } from '../../src/main/server/local-socket.ts';
import { createRouter } from '../../src/main/server/router.ts';
import { settingsStream } from '../../src/main/settings/commands.ts';

/** Handlers for a part of the contract. */
export type SomeHandlers = {
  readonly [Subject in keyof Handlers]?: Handlers[Subject] extends (call: never) => unknown
    ? Handlers[Subject]
    : Partial<Handlers[Subject]>;
};

export interface FakeHandlers {
  readonly handlers: Handlers;
  /** Calls the handlers through the router, as a host does. */
  readonly client: CoreClient;
  /** Replaces some handlers, even while they are in use. The returned function restores the earlier ones. */
  replace(part: SomeHandlers): () => void;
}

/**
 * Handlers of the whole contract. Later parts replace earlier ones. A command without a handler fails with its name.
 */
export function createFakeHandlers(...given: readonly SomeHandlers[]): FakeHandlers {
  const parts = [...given];
  const fill = (node: AnyContractRouter, path: readonly string[]): unknown => {
    if (!isContractProcedure(node)) {
      const children = Object.entries<AnyContractRouter>(node);
      return Object.fromEntries(children.map(([name, child]) => [name, fill(child, [...path, name])]));
    }
    return (call: unknown): unknown => {
      const found = parts.map((part) => inside(part, path)).findLast((one) => typeof one === 'function');
      if (typeof found !== 'function') throw new AppError('internal', `This fake has no ${path.join('.')}.`);
      return found(call);
    };
  };
  // `fill` walks the contract, so the result has the shape of the handlers. This is the only cast.
  const handlers = fill(contract, []) as Handlers;
  return {
    handlers,
    client: createRouterClient(createRouter(handlers)),
    replace: (part) => {
      parts.push(part);
      return () => void parts.splice(parts.indexOf(part), 1);
    },
  };
}

function inside(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => Reflect.get(Object(at), name), node);
}

/** Handlers of an empty core. Commands that have no empty answer are left out. */
export const emptyHandlers: SomeHandlers = {
  home: {
    info: () => ({ pid: process.pid, version: '0', home: '/home', cache: '/cache' }),
    log: () => ({ folder: '/home/logs', text: '' }),
    licenses: () => ({ folder: '/app', text: '' }),
  },
  sessions: {
    cancel: () => undefined,
    choose: () => undefined,
    withdraw: () => undefined,
    approve: () => undefined,
    answerCap: () => undefined,
    editPlan: () => undefined,
    search: () => ({ hits: [], isComplete: true }),
    rename: () => undefined,
    organize: ({ input }) => ({ done: input.sessionIds, refused: [] }),
    fork: () => ({ sessionId: 'forked', notRestored: [] }),
    branches: () => [],
    export: () => ({ blobs: 0, missing: 0, branches: 0 }),
    download: async function* download() {
      yield { type: 'end', missing: 0, branches: 0 };
    },
    import: () => ({ sessionId: 'imported', dropped: {} }),
    delete: () => undefined,
    binned: () => [],
    restore: ({ input }) => ({ sessionId: input.id }),
    purge: () => undefined,
    manifest: () => null,
    trimmed: () => [],
    detail: () => ({ text: null, request: null, parts: [], price: null, tools: [] }),
    escalations: () => [],
  },
  attachments: {
    read: () => null,
    find: () => [],
    resources: () => [],
    prompts: () => [],
    preview: ({ input }) => ({
      models: [],
      files: input.attachments.map((attachment) => ({
        attachment,
        isMentioned: false,
        bytes: attachment.blob.bytes,
        shownBytes: attachment.blob.bytes,
        lines: null,
        pages: null,
      })),
      notes: [],
      unseen: null,
    }),
  },
  skills: { list: () => ({ folder: '/home/skills', skills: [] }) },
  memory: { list: () => ({ files: { you: '/home/memory/you.md', project: null }, lines: [] }) },
  knowledge: { list: () => ({ name: 'knowledge', folder: '/home/knowledge', files: [] }) },
  assistants: { list: () => ({ folder: '/home/assistants', assistants: [], broken: [] }) },
  changes: { show: () => [], untracked: () => [] },
  models: { list: () => [], strain: () => ({ act: 'usual', causes: [] }) },
  keys: {
    list: () => ({ store: { type: 'ready' }, keys: [] }),
    test: () => ({ test: 'accepted', text: '' }),
    remove: () => undefined,
    restore: () => undefined,
  },
  comparisons: { cancel: () => undefined, list: () => [] },
  calibrations: { cancel: () => undefined, list: () => [] },
  budget: { show: () => [], change: () => [] },
  rules: {
    show: () => ({ files: [] }),
    check: () => ({ rules: [], errors: [], warnings: [] }),
    save: () => ({ files: [] }),
    test: () => ({ place: null, fence: null, mask: null }),
    approve: () => ({ files: [] }),
  },
  settings: {
    get: () => null,
    set: () => null,
    unset: () => undefined,
    path: () => ({ path: '/home/settings.json' }),
    watch: ({ signal }) => settingsStream({ watch: () => () => undefined }, signal),
  },
  projects: {
    removePackages: () => [],
    parts: () => [],
    preparation: () => Promise.reject(new Error('There is nothing to install.')),
    instructions: () => [],
    approveInstructions: () => [],
    forgetInstructions: () => [],
    image: () => null,
    copySize: () => ({ files: 0, bytes: 0, leftOut: { files: 0, bytes: 0, paths: [], morePaths: 0 } }),
  },
  sandboxes: {
    watch: async function* () {
      yield { state: 'none', usage: null, masked: [], pinned: [], warnings: [], terminals: 0 };
    },
    network: () => ({ uses: [], answers: [] }),
    type: () => undefined,
    resize: () => undefined,
  },
  templates: {
    list: () => ({ folder: '/home/prompts', projectFolder: null, templates: [] }),
    save: () => undefined,
    remove: () => undefined,
  },
  clean: () => [],
  doctor: () => [],
  setup: { trials: () => [] },
  host: hostCommands,
};
