import javaTrust from '../../../../../resources/programs/sandbox/java-trust.py?raw';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { createAllowListProxy } from '../../network/allow-list-proxy.ts';
import { usualLimits, type NetworkDecision } from '../../network/network-decision.ts';
import { forwarderPort, noForwarderExit } from '../../network/container-forwarder.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { OutboundConnections } from '../../network/outbound-connections.ts';
import { createTunnel } from '../../network/connection-tunnel.ts';
import type { AskAboutDisk, ExecRequest, ExecResult, NetworkRequest, NetworkResult } from '../../sandbox.ts';
import { startExec, type RunningExec } from './container-exec.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { execCommand } from './exec-command.ts';
import { ContainerRuns } from './run-in-container.ts';
import { scriptCommand } from './container-scripts.ts';
import type { LiveContainer } from '../container/session-container-options.ts';
import type { SessionContainer } from '../container/session-container.ts';

const readyMs = 20_000;
/** The most decisions in a result. A command can make any number of connections. */
const mostDecisions = 1_000;

export interface NetworkPlace {
  readonly session: SessionContainer;
  readonly outward: OutboundConnections;
  readonly onDiskLow: AskAboutDisk | null;
  /** Work in the command's own container, before its network access opens and after it is closed. */
  readonly around?: AroundCommand;
}

export interface AroundCommand {
  /** A failure prevents the command from running. */
  readonly before: (run: RunBeside, signal: AbortSignal) => Promise<Reply<void>>;
  readonly after: (run: RunBeside, ended: ExecResult, signal: AbortSignal) => Promise<void>;
}

export type RunBeside = (request: ExecRequest, signal: AbortSignal) => Promise<Reply<ExecResult>>;

/**
 * Runs a command in its own container. Its only way to the network is a proxy of the app, over the input and output
 * of a process in the container. When the command ends, that way and the container end, too.
 */
export async function runWithNetwork(
  { session, outward, onDiskLow, around }: NetworkPlace,
  request: NetworkRequest,
  signal: AbortSignal,
): Promise<Reply<NetworkResult>> {
  const hosts = hostsOf(request);
  if (!hosts.ok) return hosts;
  const started = await session.startBeside({ extra: request.mounts ?? [] }, signal);
  if (!started.ok) return started;
  const beside = started.value;
  const decisions: NetworkDecision[] = [];
  const proxy = createAllowListProxy({
    hosts: hosts.value,
    limits: { ...usualLimits, ...request.limits },
    outward,
    onDecision: (decision) => {
      if (decisions.length < mostDecisions) decisions.push(decision);
      request.onDecision?.(decision);
    },
  });
  try {
    const live = await beside.acquire(signal);
    if (!live.ok) return live;
    const place = { session: beside, runs: new ContainerRuns(beside), onDiskLow };
    const run: RunBeside = (inner, innerSignal) => execCommand(place, inner, innerSignal);
    const readied = (await around?.before(run, signal)) ?? success(undefined);
    if (!readied.ok) return readied;
    const way = await giveWay(live.value, proxy.handle, outward);
    if (!way.ok) return way;
    const ran = await run({ ...request, env: way.value.environment(request.env) }, signal);
    way.value.close();
    if (!ran.ok) return ran;
    proxy.close();
    await around?.after(run, ran.value, signal);
    for (const warning of beside.warnings) if (!session.warnings.includes(warning)) session.warn(warning);
    return success({ ...ran.value, decisions });
  } finally {
    proxy.close();
    await beside.dispose();
  }
}

/** The canonical hosts of a request. Fails with `bad-input` for one that cannot be listed. */
export function hostsOf({ hosts: names }: Pick<NetworkRequest, 'hosts'>): Reply<ReadonlySet<string>> {
  const hosts = new Set<string>();
  for (const name of names) {
    const host = canonicalHost(name);
    if (host === null) {
      return failure(
        'bad-input',
        `"${name.slice(0, 260)}" cannot be a host that is let through.`,
        'Give exact names of public hosts, such as files.example.org: no addresses, no ports, no patterns.',
      );
    }
    hosts.add(host);
  }
  return success(hosts);
}

/** The open network access of a container. */
export interface WayOut {
  /** The variables that programs need to use it, added to the request's own. */
  readonly environment: (own: ExecRequest['env']) => Readonly<Record<string, string>>;
  readonly close: () => void;
}

export async function giveWay(
  live: LiveContainer,
  handle: Handle,
  outward: OutboundConnections,
): Promise<Reply<WayOut>> {
  const opened = await openWay(live, handle);
  if (!opened.ok) return opened;
  const trusted = await giveCertificates(live, await outward.certificates());
  if (!trusted.ok) return trusted;
  const java = [...javaProxy, ...(trusted.value.hasJavaStore ? [`-Djavax.net.ssl.trustStore=${javaStore}`] : [])];
  return success({
    environment: (own) => ({
      ...trusted.value.environment,
      ...own,
      ...proxyEnvironment,
      JAVA_TOOL_OPTIONS: [...java, own?.['JAVA_TOOL_OPTIONS'] ?? ''].join(' ').trim(),
    }),
    close: opened.value,
  });
}

/** Programs use different ones of these variables. None of them can open another way. */
const proxyEnvironment = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
      [name, `http://127.0.0.1:${forwarderPort}`],
      [name.toUpperCase(), `http://127.0.0.1:${forwarderPort}`],
    ]),
  ),
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
  // Node uses the others only with this one.
  NODE_USE_ENV_PROXY: '1',
};

/** Java knows neither the variables for a proxy nor those for certificates. */
const javaProxy = ['http', 'https'].flatMap((scheme) => [
  `-D${scheme}.proxyHost=127.0.0.1`,
  `-D${scheme}.proxyPort=${forwarderPort}`,
]);

const certificatesInContainer = '/run/dewpoint-certificates.pem';
const javaStore = '/run/dewpoint-certificates.jks';

interface GivenCertificates {
  /** The variables that tell programs about them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly hasJavaStore: boolean;
}

/** Adds this machine's certificates to those of the image. */
async function giveCertificates(live: LiveContainer, pem: string): Promise<Reply<GivenCertificates>> {
  if (pem === '') return success({ environment: {}, hasJavaStore: false });
  const file = certificatesInContainer;
  const script = [
    `{ cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null; cat; } > ${file}`,
    `if command -v java && python3 -c "$1" ${file} ${javaStore}; then echo STORE; fi 2>/dev/null`,
  ];
  let said = '';
  try {
    const given = await startExec(live.container, {
      argv: ['/bin/sh', '-c', script.join('\n'), 'sh', javaTrust],
      stdin: Buffer.from(pem),
      onChunk: ({ bytes }) => void (said += Buffer.from(bytes).toString('utf8')),
    });
    await withDeadline(readyMs, live.gone.signal, () => given.ended);
  } catch (error) {
    return failure('sandbox-lost', `The certificates could not be put into the sandbox: ${messageOf(error)}.`);
  }
  const environment = {
    SSL_CERT_FILE: file,
    REQUESTS_CA_BUNDLE: file,
    CURL_CA_BUNDLE: file,
    GIT_SSL_CAINFO: file,
    PIP_CERT: file,
    NODE_EXTRA_CA_CERTS: file,
    npm_config_cafile: file,
  };
  return success({ environment, hasJavaStore: said.includes('STORE') });
}

type Handle = Parameters<typeof createTunnel>[0]['onConnection'];

/** Starts the forwarder and waits until it listens. Returns a function that ends every connection through it. */
async function openWay(live: LiveContainer, handle: Handle): Promise<Reply<() => void>> {
  const ready = new AbortController();
  let running: RunningExec | null = null;
  let said = '';
  const tunnel = createTunnel({
    send: (bytes, sent) => {
      if (running === null) sent();
      else running.stream.write(bytes, () => sent());
    },
    onConnection: handle,
    onReady: () => ready.abort(),
    onBroken: () => running?.stream.end(),
  });
  try {
    running = await startExec(live.container, {
      argv: scriptCommand('forward', String(forwarderPort)),
      keepInputOpen: true,
      onChunk: ({ stream, bytes }) => {
        if (stream === 'stdout') tunnel.push(bytes);
        else if (said.length < 500) said += Buffer.from(bytes).toString();
      },
    });
    const { ended } = running;
    const isReady = await withDeadline(readyMs, live.gone.signal, () =>
      Promise.race([whenAborted(ready.signal), ended.then((end) => end)]),
    );
    void ended.then(() => tunnel.close());
    if (isReady === null) return success(() => tunnel.close());
    tunnel.close();
    return failure(
      'refused',
      isReady.type === 'exited' && isReady.exitCode === noForwarderExit
        ? 'The image of this sandbox has neither Python nor Node, so that a command in it cannot be given a network.'
        : `The way to the network could not be opened in the sandbox: ${said.trim() || 'it ended at once'}.`,
    );
  } catch (error) {
    tunnel.close();
    return failure('sandbox-lost', `The way to the network could not be opened in the sandbox: ${messageOf(error)}.`);
  }
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
