import { describe, expect, it } from 'vitest';
import { createSessionRunner } from '../../../../src/main/agent/turn/session-runner.ts';
import { blobsOf } from '../../../../src/main/sessions/blobs/event-blobs.ts';
import { readCallDetail } from '../../../../src/main/sessions/history/read-call-detail.ts';
import { readCallResult } from '../../../../src/main/tools/mcp/call-result.ts';
import { createEventLines } from '../../../../src/main/hosts/text/event-lines.ts';
import { safeWriting } from '../../../../src/main/hosts/text/terminal.ts';
import { readCanvas } from '../../../../src/shared/tools/canvas.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { ModelRequest } from '../../../../src/main/models/providers/define.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, loopModel, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { redSquare } from '../../../fakes/mcp-http-server.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const spec: ConnectedToolSpec = {
  name: 'made__draw',
  server: 'made',
  tool: 'draw',
  description: 'Draws a square.',
  inputSchema: { type: 'object' },
  leaves: false,
  readsFiles: false,
};
const bytes = Buffer.from(redSquare, 'base64');
const done = call('task_complete', { summary: 'ok' });
const loop = { ...turnOptions, strategy: 'loop' } as const;

function scene(images: boolean, replies = [call(spec.name, {}), done, done]): AgentKit {
  const picture = { bytes, mediaType: 'image/png', width: 4, height: 4 } as const;
  return createAgentKit({
    replies,
    model: { capabilities: { ...loopModel.capabilities, images } },
    dependencies: {
      tools: {
        connected: {
          offered: async () => [spec],
          call: async () => ({ status: 'ok', output: 'Drawn.\n[image 1]', pictures: [picture] }),
        },
      },
      approver: { ask: async () => 'allow' },
    },
  });
}

/** A server whose result is a list. */
function listing(): AgentKit {
  return createAgentKit({
    replies: [call(spec.name, {}), done],
    dependencies: {
      tools: {
        connected: {
          offered: async () => [spec],
          call: async () => readCallResult({ content: [{ type: 'text', text: '2 days' }], structuredContent: days }),
        },
      },
      approver: { ask: async () => 'allow' },
    },
  });
}

const days = [
  { day: 'Mon', degrees: 21 },
  { day: 'Tue\u202E', degrees: 3 },
];

describe('a list from a connected tool', () => {
  it('is a table in the window and the terminal, and text for the model', async () => {
    const kit = listing();
    await kit.runner.send('What is the weather?', loop);
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain('2 days');
    expect(JSON.stringify(kit.requests[1]?.messages)).not.toContain('degrees');
    const seen = kit.journal.state().toolCalls.find(({ tool }) => tool === spec.name);
    expect(seen?.hasTable).toBe(true);
    const id = seen?.toolCallId ?? '';
    const detail = await readCallDetail(kit.journal.read(), id, { get: kit.journal.getBlob.bind(kit.journal) });
    expect(readCanvas(detail?.tools[0]?.table)).toMatchObject({ ok: true, canvas: { columns: ['day', 'degrees'] } });
    const terminal = { ...safeWriting({ out: () => undefined, err: () => undefined }, false), isLive: false };
    const lines = createEventLines({ ...terminal, isInteractive: false, columns: 80 });
    const printed = kit.journal.events.flatMap((event) => lines(event)).join('\n');
    expect(printed).toMatch(/day +degrees\n.*\n.*Mon +21\n/u);
    expect(printed).not.toContain('\u202E');
    await expectReplay(kit);
  });
});

const imagesOf = (request: ModelRequest | undefined): readonly unknown[] =>
  (request?.messages ?? []).flatMap(({ parts }) => parts.filter(({ type }) => type === 'image'));
const shown = { type: 'image', mediaType: 'image/png', data: redSquare, name: 'made__draw 1', width: 4, height: 4 };

describe('an image from a connected tool', () => {
  it('is kept in the log, and shown to the person and to a model with vision', async () => {
    const kit = scene(true);
    await kit.runner.send('Draw a square.', loop);
    expect(imagesOf(kit.requests[1])).toEqual([expect.objectContaining(shown)]);
    const ended = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === spec.name);
    expect(ended?.pictures).toMatchObject([{ kind: 'image', name: 'made__draw 1', width: 4 }]);
    // Catches: blobs that a fork, an export or a clean-up does not know about.
    expect(ended === undefined ? [] : blobsOf(ended)).toEqual(ended?.pictures?.map(({ blob }) => blob));
    const seen = kit.journal.state().toolCalls.find(({ tool }) => tool === spec.name);
    expect(seen?.pictures).toEqual(['made__draw 1']);
    const id = seen?.toolCallId ?? '';
    const detail = await readCallDetail(kit.journal.read(), id, { get: kit.journal.getBlob.bind(kit.journal) });
    const drawn = { path: 'made__draw 1', mediaType: 'image/png', data: redSquare };
    expect(detail?.tools[0]?.pictures).toEqual([drawn]);
  });

  it('is there after a restart, and in a replay without a server', async () => {
    const kit = scene(true);
    await kit.runner.send('Draw a square.', loop);
    await createSessionRunner(kit.dependencies).send('What color is it?', loop);
    expect(imagesOf(kit.requests.at(-1))).toEqual([expect.objectContaining(shown)]);
    await expectReplay(kit);
  });

  it('is only named to a model without vision', async () => {
    const kit = scene(false);
    await kit.runner.send('Draw a square.', loop);
    expect(imagesOf(kit.requests[1])).toEqual([]);
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain('[image 1]');
  });
});
