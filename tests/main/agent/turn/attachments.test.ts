import { describe, expect, it } from 'vitest';
import { readShortenedResult } from '../../../../src/main/agent/prompt/read-shortened-result.ts';
import type { Attachment } from '../../../../src/shared/attachments/attachment.ts';
import type { Part } from '../../../../src/shared/models/model-messages.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const pixels = Buffer.from('89504e470d0a1a0a', 'hex');

async function given(kit: AgentKit, path?: string): Promise<readonly Attachment[]> {
  const [image, text] = await Promise.all([kit.journal.putBlob(pixels), kit.journal.putText(['a,b\n'])]);
  const from = path === undefined ? {} : { path };
  return [
    { kind: 'image', name: 'shot.png', blob: image, mediaType: 'image/png', width: 1200, height: 900, ...from },
    { kind: 'text', name: 'data.csv', blob: text },
  ];
}

async function send(kit: AgentKit, options: object = {}, path?: string) {
  const sent = await kit.runner.post(
    'Look at this.',
    { ...turnOptions, ...options },
    { attachments: await given(kit, path) },
  );
  return sent.ended;
}

const eyes = {
  capabilities: { tools: true, grammar: false, prefill: true, infill: false, countTokens: true, images: true },
};
const answer: KitOptions['replies'] = [call('task_complete', { summary: 'Seen.' })];
const sentParts = (kit: AgentKit): readonly Part[] => kit.requests[0]?.messages[1]?.parts ?? [];

describe('an attachment', () => {
  it('is sent before the words to a model that sees images', async () => {
    const kit = createAgentKit({ replies: answer, model: eyes });
    expect((await send(kit)).reason).toBe('answered');
    const parts = sentParts(kit);
    expect(parts.map(({ type }) => type)).toEqual(['image', 'text', 'text']);
    expect(parts[0]).toMatchObject({ data: pixels.toString('base64'), mediaType: 'image/png', name: 'shot.png' });
    expect(parts[1]).toMatchObject({ text: 'Attached by the person, as data: data.csv\n```\na,b\n```' });
  });

  it("is cut to half of the model's context, and the log says at which length", async () => {
    const table = Array.from({ length: 2200 }, (_, row) => `${row},customer ${row},${row}.50\n`).join('');
    const kit = createAgentKit({ replies: answer, model: { contextTokens: 8192 } });
    const blob = await kit.journal.putText([table]);
    await (
      await kit.runner.post('Look at this.', turnOptions, {
        attachments: [{ kind: 'text', name: 'orders.csv', blob }],
      })
    ).ended;
    const started = kit.journal.events.find((event) => event.type === 'model-call-started');
    if (started?.type !== 'model-call-started') throw new Error('no call');
    const [cut] = started.cut ?? [];
    expect(cut).toMatchObject({ name: 'orders.csv', sha256: blob.sha256, bytes: table.length });
    const text = JSON.stringify(sentParts(kit));
    const shown = table.slice(0, cut?.shownBytes).trimEnd();
    expect(shown.length).toBeGreaterThan(3000);
    expect(text).toContain(JSON.stringify(shown).slice(1, -1));
    expect(text).not.toContain('2199,customer');
    expect(text).toContain(`only its beginning is shown, ${cut?.shownBytes} of ${table.length} bytes`);
    const [trimmed] = await readShortenedResult(
      { state: kit.journal.state(), read: () => kit.journal.read() },
      started.callId,
    );
    expect(trimmed).toMatchObject({ why: 'attached', afterBytes: cut?.shownBytes, parts: [{ label: 'orders.csv' }] });
    await expectReplay(kit);
  });

  it('with an image ends the turn with an explanation when the model sees no images', async () => {
    const kit = createAgentKit({ replies: answer });
    const end = await send(kit);
    expect([end.reason, end.text]).toEqual(['missing', 'Fake model does not support images, and the message has one.']);
    expect(kit.requests).toEqual([]);
  });

  it('makes the router choose a model that sees images', async () => {
    const kit = createAgentKit({ replies: answer, cloud: { ...eyes, label: 'Sky' } });
    const end = await send(kit, { policy: 'hybrid', cloud: 'sky/model', routing: routingOf('balanced', {}) });
    const routed = kit.journal.events.find((event) => event.type === 'route-decided');
    expect([end.reason, routed?.type === 'route-decided' && routed.chosen.model]).toEqual(['answered', 'sky/model']);
    expect(routed?.type === 'route-decided' ? routed.reason : '').toContain('does not support images');
  });

  it('from a fenced file keeps the message on this machine', async () => {
    const fences = { rules: [{ paths: ['private/**'], verdict: 'local-only' }] };
    const kit = createAgentKit({ replies: answer, cloud: eyes, fences });
    const end = await send(kit, { policy: 'cloud', cloud: 'sky/model' }, 'private/shot.png');
    expect(end.reason).toBe('fenced');
    expect(kit.requests).toEqual([]);
  });

  it('is stored once, is named in the request, and is the same in a replay', async () => {
    const kit = createAgentKit({ replies: answer, model: eyes });
    await send(kit);
    const started = kit.journal.events.find((event) => event.type === 'model-call-started');
    const stored = started?.type === 'model-call-started' ? await kit.journal.getBlob(started.request) : null;
    const request = Buffer.from(stored ?? '').toString('utf8');
    expect(request).not.toContain(pixels.toString('base64'));
    expect(request).toContain('"name":"shot.png"');
    await expectReplay(kit);
  });
});
