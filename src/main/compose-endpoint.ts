import { join } from 'node:path';
import { success } from '@shared/errors.ts';
import { filesForReading } from './compose-folders.ts';
import type { AskAgainOptions } from './endpoint/ask-again.ts';
import { realPathOf } from './lib/files/host-folder.ts';
import { createAskJudge } from './endpoint/ask-judge.ts';
import { createClientKeys } from './endpoint/client-keys.ts';
import { createClientLogs } from './endpoint/client-logs.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint/commands.ts';
import type { HomeMoney } from './money/home-money.ts';
import type { RouteRecord } from './routing/record/route-record.ts';
import type { HiddenValues } from './safety/hidden-values.ts';
import type { RuleFiles } from './safety/rule-files.ts';
import { createSessionRules } from './safety/rules/session-rules.ts';
import { createSessionFences } from './safety/session-fences.ts';
import type { SandboxFiles } from './sandbox/sandbox.ts';
import { isSecretFile } from './sandbox/workspace/secret-files.ts';
import type { Blobs } from './sessions/blobs/blob-store.ts';
import type { Redactor } from './sessions/log/redactor.ts';
import { fenceMemoryOf } from './sessions/open/runner-for.ts';
import type { AskJudge } from './sessions/comparisons/judge-runs.ts';
import type { SessionStore } from './sessions/store/session-store.ts';
import type { SettingsStore } from './settings/settings-store.ts';

interface EndpointBase {
  readonly settings: SettingsStore;
  readonly rules: RuleFiles;
  readonly redactor: Redactor;
  readonly hidden: HiddenValues;
  readonly clientStore: SessionStore;
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly now: () => number;
}

interface EndpointMeans extends Pick<EndpointOptions, 'machine'> {
  readonly models: AskAgainOptions['models'];
  readonly list: EndpointOptions['models']['list'];
  readonly money: HomeMoney;
  readonly record: Pick<RouteRecord, 'numbersFor'>;
}

/** Lets other programs ask models, in the same way as a turn, with the same money and fences. */
export function createEndpointParts(
  home: string,
  base: EndpointBase,
  { models, machine, list, money, record }: EndpointMeans,
): { readonly endpoint: Endpoint; readonly askJudge: AskJudge['once'] } {
  const { settings, rules, redactor, hidden, clientStore, store, now } = base;
  const keys = createClientKeys(join(home, 'endpoint-keys.json'), now);
  const sources = { rules: rules.activeRules, settings: () => settings.current() };
  const sessionRules = createSessionRules(sources, null);
  const secrets = { isSecretFile, hideKnown: (text: string) => redactor.text(text), hidden };
  const logs = { home, store: clientStore, now };
  const options: EndpointOptions = {
    models: { ...models, list },
    machine,
    keys,
    logs: createClientLogs({ ...logs, keys }),
    recorded: {
      store,
      blobs: base.blobs,
      // No key belongs to these calls.
      logs: createClientLogs({ ...logs, keys: { note: async () => undefined } }),
      fencesOf: recordedFences(home, base, { ...secrets, sources }),
    },
    settings: () => settings.current(),
    numbersFor: record.numbersFor,
    routeRules: sessionRules.places,
    fences: createSessionFences({
      ...secrets,
      settings: sessionRules.fences,
      projectPath: null,
      projectFiles: noFiles,
      // A client sends its whole conversation again with each call, so every call is checked completely and needs no
      // history.
      read: noEvents,
    }),
    budget: (sessionId) => money.budget({ sessionId, project: () => null, ask: async () => null }),
  };
  return { endpoint: createEndpoint(options), askJudge: createAskJudge({ ...options, ...options.recorded }) };
}

type RecordedSecrets = Pick<Parameters<typeof createSessionFences>[0], 'isSecretFile' | 'hideKnown' | 'hidden'> & {
  readonly sources: Parameters<typeof createSessionRules>[0];
};

/** The fences of today for what a session recorded, as if it went on now: its files, its log, and its project's past. */
function recordedFences(
  home: string,
  { settings, rules, store }: EndpointBase,
  { sources, ...secrets }: RecordedSecrets,
): AskAgainOptions['fencesOf'] {
  return async (view, signal) => {
    const { projectPath, workspace } = view.state;
    const hasFiles = projectPath !== null && workspace !== null;
    return createSessionFences({
      ...secrets,
      settings: createSessionRules(sources, projectPath).fences,
      projectPath,
      projectFiles: hasFiles
        ? await filesForReading(await realPathOf(workspace.path), { homePath: home, settings, rules }, signal)
        : noFiles,
      read: (fromSeq) => view.read(fromSeq),
      sessionId: view.sessionId,
      ...(projectPath === null ? {} : { memory: fenceMemoryOf({ store, homePath: home }, projectPath) }),
    });
  };
}

async function* noEvents(): AsyncGenerator<never> {}

/** A client has no folder here, so only the content of its texts can be fenced. */
const noFiles: Pick<SandboxFiles, 'list' | 'readMany'> = {
  list: async () => success({ entries: [], truncated: false, unseen: [] }),
  readMany: async () => success(new Map()),
};
