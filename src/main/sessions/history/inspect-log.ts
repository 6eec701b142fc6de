import type { Escalation } from '@shared/routing/escalations.ts';
import { escalationsIn } from '@shared/routing/escalations.ts';
import { readShortenedResult } from '../../agent/prompt/read-shortened-result.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { compileFences } from '@shared/safety/fences.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { CoreApi } from '../../server/core-api.ts';
import { fenceSources, isSecretFile } from '../../safety/commands.ts';
import type { RuleFiles } from '../../safety/rule-files.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { readManifest } from './read-manifest.ts';
import type { SessionStore } from '../store/session-store.ts';

export interface InspectOptions {
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly rules: RuleFiles;
  readonly settings: () => Settings;
}

/** What a session's log says beyond its folded state: read anew each time it is asked for. */
export function createInspectCommands({
  store,
  blobs,
  rules,
  settings,
}: InspectOptions): Pick<CoreApi, 'manifest' | 'escalations' | 'trimmed'> {
  return {
    manifest: async (sessionId, step) => {
      const view = await store.view(sessionId);
      const { projectPath } = view.state;
      const sources = fenceSources(await rules.activeRules(projectPath), settings());
      return readManifest(view.read(), step, {
        blobs,
        fences: compileFences({ settings: sources, projectPath, isSecretFile }),
      });
    },
    trimmed: async (sessionId, callId) => readShortenedResult((await store.view(sessionId)).read(), callId),
    escalations: async (sessionId) => escalationsOf((await store.view(sessionId)).read()),
  };
}

async function escalationsOf(events: AsyncIterable<SessionEvent>): Promise<readonly Escalation[]> {
  const kept: SessionEvent[] = [];
  for await (const event of events) {
    if (event.type === 'route-decided' || event.type === 'model-call-started' || event.type === 'stage-chosen') {
      kept.push(event);
    }
  }
  return escalationsIn(kept);
}
