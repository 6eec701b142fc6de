import type { Elsewhere, Interval } from '../../src/shared/money/counterfactual.ts';
import type { PageCore } from './page-core.ts';
import type { Story } from './page-story.ts';
import { cloudModel, localModel, startStory } from './page-story.ts';
import type { ChangedFile } from '@shared/contract/sessions-contract.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

const project = '/home/ada/projects/api-server';
const notes = '/home/ada/projects/notes';

const failing = `\u001b[1m============================= test session starts ==============================\u001b[0m
collected 13 items

tests/test_dates.py \u001b[32m............\u001b[0m\u001b[31mF\u001b[0m                                       [100%]

=================================== FAILURES ===================================
\u001b[31m________________________________ test_iso_week _________________________________\u001b[0m
    def test_iso_week():
>       assert week_of(date(2026, 1, 1)) == (2026, 1)
\u001b[31mE       assert (2025, 53) == (2026, 1)\u001b[0m

tests/test_dates.py:31: AssertionError
\u001b[31m========================= 1 failed, 12 passed in 0.41s =========================\u001b[0m`;

const passing = '\u001b[32m============================== 13 passed in 0.38s ==============================\u001b[0m';

const dateDiff = `--- a/dates.py
+++ b/dates.py
@@ -14,9 +14,13 @@ def parse_day(text: str) -> date:
 
 
 def week_of(day: date) -> tuple[int, int]:
-    """Year and week of a day."""
-    week = int(day.strftime('%W')) + 1
-    return day.year, week
+    """ISO year and week of a day: the year is that of the week's Thursday."""
+    thursday = day + timedelta(days=3 - day.weekday())
+    first = date(thursday.year, 1, 4)
+    monday = first - timedelta(days=first.weekday())
+    week = (thursday - monday).days // 7 + 1
+    return thursday.year, week
 
 
 def is_weekend(day: date) -> bool:
`;

const importDiff = `--- a/report.py
+++ b/report.py
@@ -1,4 +1,4 @@
-from datetime import date
+from datetime import date, timedelta
 
 from dates import week_of
 
`;

export const changedFiles: readonly ChangedFile[] = [
  { path: 'dates.py', kind: 'modified', added: 6, removed: 3, diff: dateDiff, state: 'open' },
  { path: 'report.py', kind: 'modified', added: 1, removed: 1, diff: importDiff, state: 'open' },
  { path: 'conftest.py', kind: 'added', added: 4, removed: 0, diff: null, state: 'taken' },
  { path: 'tests/__snapshots__/weeks.bin', kind: 'added', added: null, removed: null, diff: null, state: 'taken' },
];

/** A task that starts on this machine, gets stuck, and is finished by a step in the cloud. */
export async function fixScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Fix the failing date test', project);
  story.sandbox('container');
  story.ask('The test in dates.py fails since Monday. Find out why and fix it.', {
    maxUsd: 1,
    check: 'python3 -m pytest -q',
  });
  story.check('before', false, failing);
  story.stage('local', 'The task names a failing test; the model passed the probe for the free loop.');
  story.action('list the files of the project', 'dates.py\nreport.py\ntests/test_dates.py');
  story.step({
    stage: 'local',
    label: 'read dates.py',
    tool: 'read_file',
    output: 'def week_of(day): …',
    reason: 'A small local model reads as well as a large one.',
  });
  story.step({
    stage: 'local',
    label: 'edit dates.py',
    tool: 'edit_file',
    input: { path: 'dates.py', old: "'%W'", new: "'%V'" },
    output: 'changed 1 line',
    reason: 'One place, one line: local.',
  });
  story.step({
    stage: 'local',
    label: 'run the tests',
    tool: 'run_tests',
    input: { command: 'python3 -m pytest -q' },
    output: failing,
    exitCode: 1,
    ms: 2_300,
    reason: 'Running tests needs no large model.',
  });
  story.step({
    stage: 'local',
    label: 'edit dates.py',
    tool: 'edit_file',
    input: { path: 'dates.py' },
    output: 'refused: the same edit again',
    reason: 'One place, one line: local.',
  });
  story.stage('cloud', 'The same edit was rejected twice; the notes so far go along.');
  story.step({
    stage: 'cloud',
    label: 'edit dates.py',
    tool: 'edit_file',
    input: { path: 'dates.py' },
    output: 'changed 6 lines',
    text: 'The week belongs to the year of its **Thursday**, so `strftime` alone cannot answer this. I compute it from the first Thursday instead.',
    reason: 'The same edit was rejected twice; local has no new idea.',
    usage: { freshInput: 1850, cacheRead: 0, cacheWrite: 1200, output: 310, reasoning: 120 },
    ms: 4_100,
  });
  story.changed('dates.py', 6, 3);
  story.changed('report.py', 1, 1);
  story.untracked({
    path: 'vendor/dates/.git',
    why: 'a git repository that was made while commands ran; git runs what it says',
    done: 'settings removed: core.fsmonitor; hooks removed: post-checkout',
  });
  story.step({
    stage: 'local',
    label: 'run the tests',
    tool: 'run_tests',
    input: { command: 'python3 -m pytest -q' },
    output: passing,
    exitCode: 0,
    ms: 2_100,
    reason: 'Running tests needs no large model.',
  });
  story.check('after', true, passing);
  story.end(
    'done',
    'The week of a day near the turn of the year was counted from January 1st. `week_of` now follows ISO 8601: a week belongs to the year of its Thursday.\n\n- `dates.py`: the year and the week come from the Thursday\n- `report.py`: the import it needs',
  );
  core.changes.set(story.sessionId, changedFiles);
  return story;
}

const answer = `The server reads its port from **three places**, in this order:

1. the flag \`--port\`
2. the variable \`PORT\`
3. \`config/default.toml\`

\`\`\`python
def port_of(args: Namespace, env: Mapping[str, str]) -> int:
    """The first place that names a port wins."""
    if args.port is not None:
        return args.port
    return int(env.get('PORT', load_defaults()['port']))
\`\`\`

| place | wins over | example |
|---|---|---|
| flag | all | \`--port 9000\` |
| variable | the file | \`PORT=9000\` |

![a diagram](https://example.com/ports.png)

See [the documentation](https://example.com/docs) for more.`;

/** A question, answered with Markdown. */
export async function answerScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Which port does the server listen on?', project);
  story.sandbox('read-only');
  story.ask('Which port does the server listen on, and who decides?');
  story.stage('recipe', 'A question about the project.', 'answer-question');
  story.action('search for "port"', 'server.py:12: port = port_of(args, os.environ)');
  story.step({ stage: 'recipe', label: 'answer', text: answer, ms: 6_400, usage: { output: 214 } });
  story.end('answered', answer);
  return story;
}

/** A plan that can be edited before it starts. */
export async function planScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Move the settings into one file', project);
  story.sandbox('read-only');
  story.ask('Plan how the settings get into one file.', { mode: 'plan' });
  story.stage('local', 'A plan needs no writing.');
  story.step({ stage: 'local', label: 'read settings.py', tool: 'read_file', output: 'PORT = 8000' });
  story.end('planned', '1. Read what is in `settings.py`\n2. Write `config/default.toml`\n3. Run the tests');
  return story;
}

/** A turn that waits for an approval. */
export async function approvalScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Add a check for empty names', project);
  story.sandbox('container');
  story.ask('Reject empty names, and keep the tests green.');
  story.stage('local', 'A small change in one file.');
  story.step({ stage: 'local', label: 'read names.py', tool: 'read_file', output: 'def clean(name): …' });
  const callId = story.begin('local');
  const toolCallId = `${story.sessionId}-guarded`;
  const input = { path: 'tests/test_n\u0430mes.py', content: 'assert True\u202E # ko' };
  story.append({
    type: 'tool-call-requested',
    toolCallId,
    callId,
    tool: 'write_file',
    input,
    style: 'native',
    repairs: [],
  });
  for (const [index, subject] of [`write ${input.path}\u202E`, 'write conftest.py'].entries()) {
    story.append({
      type: 'approval-requested',
      approvalId: `a${index}`,
      toolCallId,
      kind: 'guarded-file',
      subject,
      sha256: 'c'.repeat(64),
    });
  }
  core.details.set(toolCallId, {
    text: null,
    request: null,
    parts: [],
    price: null,
    tools: [{ toolCallId, tool: 'write_file', input, repairs: [], output: '', isOutputWhole: true, changes: [] }],
  });
  return story;
}

/** A turn in the middle of its work, with a message in the queue. */
export async function workingScene(core: PageCore): Promise<Story & { readonly callId: string }> {
  const story = await startStory(core, 'Explain how releases are made', notes);
  story.sandbox('container');
  story.ask('How are releases made here? Write it down in RELEASING.md.');
  story.stage('local', 'A task in one new file.');
  story.step({ stage: 'local', label: 'search for "release"', tool: 'search', output: 'scripts/release.sh:3' });
  const callId = story.begin('local');
  story.append({ type: 'user-message-added', messageId: 'late', text: 'Mention the changelog, too.', queued: true });
  return { ...story, callId };
}

/** A turn that waits at a spending limit. */
export async function capScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Rewrite the importer', project);
  story.sandbox('container');
  story.ask('Rewrite the importer so that it streams.', { maxUsd: 0.05 });
  story.stage('cloud', 'Three files at once: more than the local model passed its probe for.');
  story.step({
    stage: 'cloud',
    label: 'read importer.py',
    tool: 'read_file',
    output: 'text',
    usage: { freshInput: 9000, cacheRead: 0, output: 900 },
  });
  const money = { scope: 'task', limitUsd: 0.05, spentUsd: 0.0405, heldUsd: 0, worstUsd: 0.0312 } as const;
  story.append({ type: 'cap-reached', capId: 'cap-1', model: cloudModel, here: localModel, ...money });
  return story;
}

/** Turns that end without success. */
export async function endScenes(core: PageCore): Promise<void> {
  const missing = await startStory(core, 'Make the nightly job idempotent', project);
  missing.sandbox('read-only');
  missing.ask('Make the nightly job idempotent.');
  missing.append({
    type: 'turn-ended',
    reason: 'missing',
    text: '',
    confidence: null,
    failure: {
      code: 'missing-sandbox',
      message: 'No container engine was found, so no command can run.',
      hint: 'Install and start Docker (or Podman with its Docker socket), then try again; `dewpoint doctor` says what is missing.',
    },
  });
  const capped = await startStory(core, 'Translate the manual', notes);
  capped.ask('Translate the manual into Dutch.', { maxUsd: 0.02 });
  capped.stage('cloud', 'Long prose: the local model failed its probe for it.');
  capped.step({
    stage: 'cloud',
    label: 'write manual.nl.md',
    tool: 'write_file',
    output: 'written',
    usage: { freshInput: 2500, cacheRead: 0, output: 700 },
  });
  capped.end(
    'cap',
    'The next call could cost $0.0110. Of the spending limit of $0.0200 for this task, $0.0180 is spent.',
  );
}

/** Many turns, as after weeks in one session. */
export async function longScene(core: PageCore, turns = 60): Promise<Story> {
  const story = await startStory(
    core,
    'A session of many weeks, with a title that is far too long to be shown whole anywhere in the window',
    notes,
  );
  story.sandbox('container');
  for (let turn = 1; turn <= turns; turn += 1) {
    story.ask(`Message ${turn}: ${'look at the next chapter and repair its links '.repeat((turn % 4) + 1)}`);
    story.stage('local', 'As before.');
    for (let step = 0; step < 2 + (turn % 5) * 3; step += 1) {
      story.step({
        stage: (turn + step) % 9 === 0 ? 'cloud' : 'local',
        label: `read chapters/${turn}/${'a-very-long-name-'.repeat(step % 7)}${step}.md`,
        tool: 'read_file',
        output: 'text',
      });
    }
    story.end('answered', `Answer ${turn}. ${'The links of this chapter were looked at. '.repeat((turn % 3) + 1)}`);
  }
  return story;
}

export const models: readonly ModelEntry[] = [
  {
    id: localModel,
    label: 'Qwen2.5 Coder 1.5B Instruct',
    where: 'local',
    state: 'ready',
    sizeBytes: 1_117_320_768,
    license: 'Apache-2.0',
    info: infoOf(localModel, 'local', 32_768, 1.5),
    note: 'the starter model',
    file: { path: '/cache/models/starter.gguf', hereBytes: 1_117_320_768, isOurs: true },
  },
  {
    id: 'llama-cpp/qwen2.5-coder-0.5b-instruct',
    label: 'Qwen2.5 Coder 0.5B Instruct',
    where: 'local',
    state: 'downloadable',
    sizeBytes: 491_400_064,
    license: 'Apache-2.0',
    info: null,
    note: null,
  },
  {
    id: cloudModel,
    label: 'Large 1',
    where: 'cloud',
    state: 'ready',
    sizeBytes: null,
    license: null,
    info: infoOf(cloudModel, 'cloud', 200_000, null),
    note: null,
  },
  {
    id: 'office/*',
    label: 'office',
    where: 'cloud',
    state: 'unreachable',
    sizeBytes: null,
    license: null,
    info: null,
    note: 'connect ECONNREFUSED 10.0.0.7:8080',
  },
];

/** A repository whose largest file does not fit. */
const hubModel: ModelEntry = {
  id: 'hf:example/Coder-7B-GGUF',
  label: 'coder-7b-q4_k_m.gguf',
  where: 'local',
  state: 'downloadable',
  sizeBytes: 4.7e9,
  license: 'apache-2.0',
  info: null,
  note: null,
  choices: (
    [
      ['Q2_K', 3e9, 32_768, 'All layers fit on Example Card 12.'],
      ['Q4_K_M', 4.7e9, 32_768, 'All layers fit on Example Card 12.'],
      ['Q6_K', 6.3e9, 16_384, 'All layers fit on Example Card 12, with room for 16,384 tokens of context.'],
      ['F16', 15.2e9, 0, 'It needs 16.4 GB, and 10.5 GB of the card and 8.9 GB of the memory are free.'],
    ] as const
  ).map(([name, sizeBytes, context, fit]) => ({
    id: `hf:example/Coder-7B-GGUF:${name}`,
    model: `llama-cpp/coder-7b-${name.toLowerCase()}`,
    sizeBytes,
    projectorBytes: 9.3e8,
    fit,
    fits: context > 0,
    isTaken: name === 'Q4_K_M',
  })),
};

function infoOf(id: string, where: 'local' | 'cloud', contextTokens: number, parametersB: number | null) {
  const [provider = '', name = ''] = id.split('/');
  const isLocal = where === 'local';
  return {
    id,
    provider,
    name,
    label: name,
    where,
    contextTokens,
    parametersB,
    capabilities: { tools: !isLocal, grammar: isLocal, prefill: isLocal, infill: isLocal, countTokens: isLocal },
    price: isLocal
      ? { input: 0, output: 0, source: 'local', date: '2026-11-01' }
      : { input: 3, output: 15, source: 'settings', date: '2026-11-01' },
    strategies: ['loop' as const],
    ...(isLocal ? { efforts: ['none', 'low', 'medium', 'high'] as const, effort: 'none' as const } : {}),
  };
}

/** A counterfactual with its usual uncertainty. */
function about(usd: number, seconds: number): Elsewhere {
  const span = (value: number): Interval => ({ value, low: value * 0.8, high: value * 1.3 });
  return { basis: 'estimated', usd: span(usd), seconds: span(seconds), why: null, formula: 'tokens × price' };
}

/** A home that is in use: sessions of several days, models, and a machine with everything it needs. */
export function furnish(core: PageCore): void {
  core.models = models;
  core.hub = new Map([[hubModel.id, hubModel]]);
  core.settings = {
    version: 1,
    policy: 'hybrid',
    local: localModel,
    cloud: cloudModel,
    approve: 'ask',
    notify: 'all',
    limits: { maxSteps: 40, maxMinutes: 15, maxTokens: 200_000 },
    sandbox: { image: null, memoryMb: 2048, cpus: null, pids: 512, commandTimeoutSeconds: 120, engineWaitSeconds: 60 },
  };
  furnishSandbox(core);
  core.keys = {
    store: { type: 'ready' },
    keys: [
      { provider: 'example', source: 'store', variable: null },
      { provider: 'openai', source: 'environment', variable: 'OPENAI_API_KEY' },
      { provider: 'anthropic', source: null, variable: 'ANTHROPIC_API_KEY' },
    ],
  };
  core.costRows = [12, 41, 30, 7].map((calls, index) => ({
    key: `2026-11-1${index + 5}`,
    label: '',
    calls,
    failedCalls: index,
    cancelledCalls: 0,
    localCalls: calls - index,
    usage: {
      freshInput: 900 * calls,
      cacheRead: 4000 * calls,
      cacheWrite: 0,
      output: 60 * calls,
      reasoning: 0,
      estimated: false,
    },
    costUsd: [0.0021, 0.213, 0.084, 0.031][index] ?? 0,
    unpricedCalls: 0,
    lost: {
      failed: { calls: index, costUsd: index * 0.0004, unpricedCalls: 0 },
      cancelled: { calls: 0, costUsd: 0, unpricedCalls: 0 },
      sentBack: { calls: 1, costUsd: 0.0012, unpricedCalls: 0 },
    },
    elsewhere: {
      allLocal: about(calls * 0.0001, calls * 2.9),
      allCloud: about(calls * 0.0067, calls * 1.1),
    },
    energy: {
      wattHours: calls * 0.12,
      energyUsd: calls * 0.00004,
      unmeteredCalls: 0,
      unpricedEnergyCalls: 0,
      estimatedEnergyCalls: calls,
    },
  }));
  core.findings = [
    { area: 'dewpoint', status: 'ok', text: '0.1.0 on Node 24.21.0, linux x64', hint: null },
    { area: 'home', status: 'ok', text: '/home/ada/.local/share/dewpoint, 212.4 GB free', hint: null },
    {
      area: 'sandbox',
      status: 'warning',
      text: 'docker 27.3 at unix:///run/docker.sock',
      hint: 'It cannot limit: swap.',
    },
    { area: 'cloud', status: 'missing', text: 'office is not reachable', hint: 'dewpoint models list' },
  ];
}

function furnishSandbox(core: PageCore): void {
  core.sandbox = {
    state: 'running',
    usage: { cpuPercent: 37, memoryBytes: 412_000_000, memoryLimitBytes: 2_147_483_648, processes: 9 },
    masked: ['.env', 'config/credentials.json'],
    pinned: [
      { path: '.git', readOnly: false },
      { path: '.git/hooks', readOnly: true },
      { path: '.vscode', readOnly: true },
    ],
    warnings: [],
    terminals: 0,
  };
  const use = { toolCallId: 'net-1', port: 443, count: 2, sentBytes: 1840, receivedBytes: 64_200, at: 1 };
  core.network = {
    uses: [
      { ...use, host: 'files.example.org', isAllowed: true, reason: 'listed', address: '203.0.113.7' },
      { ...use, host: 'collect.example.net', isAllowed: false, reason: 'not-listed', address: null },
    ],
    answers: [{ at: 1, hosts: ['files.example.org'], answer: 'allow', scope: 'project', by: 'person' }],
  };
  core.packages = {
    projectPath: project,
    image: 'dewpoint-sandbox:dev',
    parts: [
      {
        ecosystem: 'python',
        tool: 'pip',
        files: ['requirements.txt'],
        commands: ['python -m pip install -r requirements.txt'],
        state: 'missing',
        isNeeded: true,
        reason: null,
        packages: null,
        sizeBytes: null,
      },
    ],
    hosts: [{ host: 'packages.example.org', why: 'the default of pip' }],
    variables: [],
    approval: 'a'.repeat(64),
  };
  core.ownImage = {
    path: '.devcontainer/Dockerfile',
    kind: 'dockerfile',
    text: 'FROM example/base:3\nRUN pip install --no-cache-dir build\n',
    setup: { python: 'pip install -e .' },
    environment: { DEBUG: '1' },
    leftOut: ['features: they are not supported: a Dockerfile can install the same'],
    approval: 'b'.repeat(64),
    isUsed: false,
  };
  core.settings['network'] = {
    deny: [],
    ask: [],
    allow: [],
    projects: { [project]: { deny: [], ask: [], allow: ['files.example.org'] } },
  };
}
