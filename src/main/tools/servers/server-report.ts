import { messageOf } from '@shared/errors.ts';
import type {
  ProjectTools,
  ToolReport,
  ToolServerReport,
  ToolServerSettings,
} from '@shared/tools/server-definition.ts';
import { clientSecretName, definitionText, projectWord, secretNames } from '@shared/tools/server-definition.ts';
import { approvalDiff } from '../connected/approval-diff.ts';
import { definitionTokens, connectedToolName } from '../connected/connected-tool.ts';
import type { ToolDefinitionText, ToolPin, ToolPins } from './tool-pins.ts';
import { hashOfTool, textOfTool } from './tool-pins.ts';
import { hostOnly } from './program-needs.ts';
import { isContained, wantedHosts } from './server-start.ts';
import type { ToolServers } from './tool-servers.ts';
import type { ServerSignIns } from '../sign-in/server-sign-ins.ts';
import { isAlways } from './standing-approval.ts';
import { hashOfServer, isApproved, isServerOn, isToolOn } from './server-switches.ts';

export interface ReportSources {
  readonly running: Pick<ToolServers, 'running' | 'problem' | 'refused' | 'reach'>;
  readonly signIns: Pick<ServerSignIns, 'report'>;
  readonly pins: ToolPins;
}

/** A server as seen from one project. */
interface Place {
  readonly name: string;
  readonly server: ToolServerSettings;
  readonly own: ProjectTools;
}

/** At most this many names of unusable tools are reported. */
const mostNamed = 20;

export async function reportOf({ running, pins, signIns }: ReportSources, place: Place): Promise<ToolServerReport> {
  const { name, server, own } = place;
  const isOn = isServerOn(server, own, name);
  const live = running.running(name);
  const approved = isApproved(name, server);
  const sha256 = hashOfServer(name, server.definition);
  const { reachedAt, problem: unreached } = await running.reach(name, sha256);
  const problem = running.problem(name) ?? unreached;
  const read = await pins.of(name).then(
    (list) => ({ list, problem: null }),
    (error: unknown) => ({ list: [], problem: messageOf(error) }),
  );
  const { list } = read;
  const signIn = await signIns.report(name, server.definition);
  const listed = live?.tools() ?? [];
  const fresh = listed.filter((tool) => !list.some(({ definition }) => definition.name === tool.name));
  return {
    name,
    definition: server.definition,
    text: definitionText(server.definition),
    sha256,
    secrets: takenSecrets(server.definition),
    isApproved: approved,
    isOn,
    own: projectWord(own, name),
    state: !approved
      ? 'not-approved'
      : !isOn
        ? 'off'
        : live !== null && problem === null
          ? 'running'
          : signIn?.isNeeded === true
            ? 'sign-in'
            : problem !== null
              ? 'failed'
              : list.length === 0
                ? 'no-tools'
                : 'idle',
    problem: read.problem ?? problem,
    reachedAt,
    hostOnly: isContained(server.definition) ? hostOnly(server.definition) : null,
    wants: wantedHosts(server.definition, running.refused(name)),
    signIn,
    server: live?.server ?? null,
    tools: [
      ...list.map((pin) => pinnedReport(place, { pin, listed: live === null ? null : listed })),
      ...fresh.map((tool) =>
        toolReport(place, { tool, state: 'new', lastUsedAt: null, isReading: false, isAlways: false, diff: null }),
      ),
    ],
    leftOut: live?.leftOut() ?? 0,
    unusable: (live?.unusable?.() ?? []).slice(0, mostNamed),
  };
}

function pinnedReport(
  place: Place,
  { pin, listed }: { readonly pin: ToolPin; readonly listed: readonly ToolDefinitionText[] | null },
): ToolReport {
  const { definition, lastUsedAt, isReading = false } = pin;
  const always = isAlways(place.name, place.server.definition, pin);
  if (listed === null)
    return toolReport(place, { tool: definition, state: 'ready', lastUsedAt, isReading, isAlways: always, diff: null });
  const live = listed.find((one) => one.name === definition.name);
  if (live === undefined)
    return toolReport(place, { tool: definition, state: 'gone', lastUsedAt, isReading, isAlways: always, diff: null });
  if (hashOfTool(live) === pin.sha256)
    return toolReport(place, { tool: definition, state: 'ready', lastUsedAt, isReading, isAlways: always, diff: null });
  const diff = approvalDiff(textOfTool(definition), textOfTool(live));
  return toolReport(place, { tool: live, state: 'changed', lastUsedAt, isReading: false, isAlways: false, diff });
}

interface ShownTool extends Pick<ToolReport, 'state' | 'lastUsedAt' | 'isReading' | 'isAlways' | 'diff'> {
  readonly tool: ToolDefinitionText;
}

function toolReport({ name: serverName, server, own }: Place, { tool, ...shown }: ShownTool): ToolReport {
  const name = connectedToolName(serverName, tool.name);
  const isWanted = isToolOn(server, own, serverName, tool.name);
  const { description, inputSchema, annotations = {} } = tool;
  return {
    ...shown,
    name,
    tool: tool.name,
    description,
    isOn: shown.state === 'ready' && isWanted,
    isWanted,
    own: projectWord(own, serverName, tool.name),
    sha256: hashOfTool(tool),
    tokens: definitionTokens({ name, description, inputSchema }),
    hints: Object.entries(annotations).flatMap(([key, value]) =>
      typeof value === 'boolean' ? [`${key}: ${value}`] : [],
    ),
    text: shown.state === 'new' || shown.state === 'changed' ? textOfTool(tool) : null,
  };
}

export function takenSecrets(definition: ToolServerSettings['definition']): readonly string[] {
  const hasClient = definition.kind === 'http' && definition.clientId !== undefined;
  return hasClient ? [...secretNames(definition), clientSecretName] : secretNames(definition);
}
