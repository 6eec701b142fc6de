import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { keptCounts } from '@shared/session/reducers/kept-counts.ts';
import type { Picture } from '@shared/tools/canvas.ts';
import { canvasLimits, canvasToolName, isPictureName, notebookToolName } from '@shared/tools/canvas.ts';
import { pictureTypeOf } from '../../lib/files/image-facts.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import { partSchema, textOf } from '@shared/models/model-messages.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { diffFiles } from '../changes/file-diff.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { CallDetail, RequestDetail, ToolDetail } from '@shared/contract/sessions-contract.ts';
import { textOfPart } from '@shared/session/call-manifest.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** Hosts get at most this much of an output. The blob has everything. */
const outputLimitBytes = 1024 * 1024;

interface Found {
  text: string | null;
  /** The turn of what was looked for, once a part of it was found. */
  turnId: string | null;
  route: EventOf<'route-decided'> | null;
  started: EventOf<'model-call-started'> | null;
  ended: EventOf<'model-call-ended'> | null;
  readonly tools: Map<string, FoundTool>;
  /** Checks after the call, up to the next call. */
  readonly after: EventOf<'check-ended' | 'gate-checked' | 'cache-prefilled'>[];
  isLast: boolean;
}

interface FoundTool {
  requested: EventOf<'tool-call-requested'> | null;
  started: EventOf<'tool-started'> | null;
  ended: EventOf<'tool-ended'> | null;
  readonly changes: EventOf<'file-changed'>[];
}

/**
 * What a log has about one model call (by call id, with the tool calls it caused), one tool call or action, one message
 * or the end of one turn (each by its own id). Stops reading at the turn after it. Null if the events do not contain
 * the id. Content whose blob is gone is null.
 */
export async function readCallDetail(
  events: AsyncIterable<SessionEvent>,
  id: string,
  blobs: Pick<Blobs, 'get'>,
): Promise<CallDetail | null> {
  const found: Found = {
    text: null,
    turnId: null,
    route: null,
    started: null,
    ended: null,
    tools: new Map(),
    after: [],
    isLast: false,
  };
  for await (const event of events) {
    if (isPast(found, event)) break;
    gather(found, event, id);
    if (isAll(found, event, id)) break;
  }
  const { text, route, started, ended, tools } = found;
  if ([text, route, started, ended].every((one) => one === null) && tools.size === 0) return null;
  return {
    text: found.text ?? saidBy(found.ended),
    request: found.started === null ? null : await requestOf(found.started.request, blobs),
    parts: found.ended?.parts ?? [],
    price: found.ended?.price ?? null,
    ...(found.route === null ? {} : { route: found.route }),
    ...(found.after.length === 0 ? {} : { after: found.after }),
    tools: await Promise.all([...found.tools].map(([toolCallId, tool]) => detailOf(toolCallId, tool, blobs))),
  };
}

function gather(found: Found, event: SessionEvent, id: string): void {
  if (event.type === 'user-message-added' && event.messageId === id) found.text = event.text;
  if (event.type === 'turn-ended' && event.turnId === id) found.text = event.text;
  if (event.type === 'route-decided' && event.callId === id) found.route = event;
  if (event.type === 'model-call-started' && event.callId === id) found.started = event;
  if (event.type === 'model-call-ended' && event.callId === id) found.ended = event;
  if (event.type === 'model-call-started') found.isLast = event.callId === id;
  const isLook = event.type === 'check-ended' || event.type === 'gate-checked' || event.type === 'cache-prefilled';
  if (isLook && found.isLast) found.after.push(event);
  if (event.type === 'tool-call-requested' && (event.callId === id || event.toolCallId === id)) {
    toolOf(found, event.toolCallId).requested = event;
  }
  if (event.type === 'tool-started' && (event.toolCallId === id || found.tools.has(event.toolCallId))) {
    toolOf(found, event.toolCallId).started = event;
  }
  if (event.type === 'tool-ended') gatherKnown(found, event.toolCallId, (tool) => void (tool.ended = event));
  if (event.type === 'file-changed') gatherKnown(found, event.toolCallId, (tool) => void tool.changes.push(event));
}

/** Nothing that belongs to it comes later. */
function isAll(found: Found, event: SessionEvent, id: string): boolean {
  if (event.type === 'user-message-added' && event.messageId === id) return true;
  found.turnId ??= isAbout(found, event, id) ? (event.turnId ?? null) : null;
  return event.type === 'turn-ended' && event.turnId === id;
}

/** Checks of a call can come after the end of its turn, but not after the next turn has begun. */
function isPast(found: Found, event: SessionEvent): boolean {
  return event.type === 'turn-started' && found.turnId !== null && event.turnId !== found.turnId;
}

function isAbout(found: Found, event: SessionEvent, id: string): boolean {
  if (event.type === 'model-call-started') return event.callId === id;
  const toolCallId = 'toolCallId' in event ? (event.toolCallId ?? null) : null;
  return toolCallId !== null && found.tools.has(toolCallId);
}

function gatherKnown(found: Found, toolCallId: string | null, add: (tool: FoundTool) => void): void {
  const tool = toolCallId === null ? undefined : found.tools.get(toolCallId);
  if (tool !== undefined) add(tool);
}

function toolOf(found: Found, toolCallId: string): FoundTool {
  const known = found.tools.get(toolCallId);
  if (known !== undefined) return known;
  const tool: FoundTool = { requested: null, started: null, ended: null, changes: [] };
  found.tools.set(toolCallId, tool);
  return tool;
}

/** The text of a model's answer. Null if there was none. */
function saidBy(ended: Found['ended']): string | null {
  const text = ended === null ? '' : textOf(ended);
  return text === '' ? null : text;
}

async function detailOf(toolCallId: string, found: FoundTool, blobs: Pick<Blobs, 'get'>): Promise<ToolDetail> {
  const { requested, started, ended } = found;
  const full = ended?.full ?? null;
  const whole = full === null || full.bytes > outputLimitBytes ? null : await blobs.get(full);
  return {
    toolCallId,
    tool: started?.tool ?? requested?.tool ?? '',
    input: started?.input ?? requested?.input ?? null,
    repairs: requested?.repairs ?? [],
    output: whole === null ? (ended?.output ?? '') : new TextDecoder().decode(whole),
    isOutputWhole: full === null || whole !== null,
    changes: await Promise.all(found.changes.map((change) => changeOf(change, blobs))),
    ...(await picturesOf(found, blobs)),
    ...(started?.connected === undefined ? {} : tableIn(ended)),
    ...(await drawnIn(ended, blobs)),
  };
}

function tableIn(ended: FoundTool['ended']): Pick<ToolDetail, 'table'> {
  const table = fieldOf(ended?.data, 'table');
  return table === undefined ? {} : { table };
}

async function drawnIn(ended: FoundTool['ended'], blobs: Pick<Blobs, 'get'>): Promise<Pick<ToolDetail, 'drawn'>> {
  if (ended === null || ended.tool !== canvasToolName) return {};
  const drawn = fieldOf(await drawingData(ended, blobs), 'drawn');
  return drawn === undefined ? {} : { drawn };
}

/** Limit for all pictures together, so that a host can hold them. */
const mostPictureBytes = 10_000_000;

/** The image that a call showed, those that it returned, and the pictures that it created or changed. */
async function picturesOf(
  { ended, changes }: FoundTool,
  blobs: Pick<Blobs, 'get'>,
): Promise<Pick<ToolDetail, 'pictures'>> {
  const shown = ended?.tool === canvasToolName ? await shownImage(ended, blobs) : null;
  const pictures: Picture[] = [...(shown === null ? [] : [shown]), ...(await drawingsOf(ended, blobs))];
  const given = (ended?.pictures ?? []).map(({ name, blob }) => [name, blob] as const);
  // If a picture was written several times, the last version counts.
  const made = changes.flatMap(({ path, after }) =>
    isPictureName(path) ? [[path, after?.kept === true ? after.blob : null] as const] : [],
  );
  let left = mostPictureBytes;
  for (const [path, blob] of [...new Map([...given, ...made])].slice(0, keptCounts.pictures)) {
    if (blob === null || blob.bytes > Math.min(left, canvasLimits.imageBytes)) continue;
    left -= blob.bytes;
    const bytes = await blobs.get(blob);
    const picture = bytes === null ? null : pictureOf(path, bytes);
    if (picture !== null) pictures.push(picture);
  }
  return pictures.length === 0 ? {} : { pictures };
}

/** A log may come from elsewhere, so its content is checked again. */
async function shownImage(ended: EventOf<'tool-ended'>, blobs: Pick<Blobs, 'get'>): Promise<Picture | null> {
  const picture = fieldOf(await drawingData(ended, blobs), 'picture');
  const [path, kept] = [fieldOf(picture, 'path'), fieldOf(picture, 'data')];
  return typeof path === 'string' && typeof kept === 'string' ? pictureOf(path, Buffer.from(kept, 'base64')) : null;
}

/** The drawings that the cells of a notebook gave. They are shown as images, in which nothing runs. */
async function drawingsOf(ended: FoundTool['ended'], blobs: Pick<Blobs, 'get'>): Promise<readonly Picture[]> {
  if (ended?.tool !== notebookToolName) return [];
  return listAt(await drawingData(ended, blobs), 'drawings').flatMap((drawing) => {
    const [name, svg] = [fieldOf(drawing, 'name'), fieldOf(drawing, 'svg')];
    const picture = typeof name === 'string' && typeof svg === 'string' ? pictureOf(name, Buffer.from(svg)) : null;
    return picture === null ? [] : [picture];
  });
}

async function drawingData({ data, dataBlob }: EventOf<'tool-ended'>, blobs: Pick<Blobs, 'get'>): Promise<unknown> {
  const isSmall = dataBlob !== null && dataBlob.bytes <= 2 * canvasLimits.imageBytes;
  const bytes = isSmall ? await blobs.get(dataBlob) : null;
  return bytes === null ? data : JSON.parse(new TextDecoder().decode(bytes));
}

function pictureOf(path: string, bytes: Uint8Array): Picture | null {
  const mediaType = pictureTypeOf(bytes);
  return mediaType === null ? null : { path, mediaType, data: Buffer.from(bytes).toString('base64') };
}

async function changeOf(
  { path, before, after, added, removed }: EventOf<'file-changed'>,
  blobs: Pick<Blobs, 'get'>,
): Promise<ToolDetail['changes'][number]> {
  const [left, right] = await Promise.all([bytesOf(before, blobs), bytesOf(after, blobs)]);
  const diff = left === undefined || right === undefined ? null : diffFiles(path, left, right).text;
  return { path, added, removed, diff };
}

/** Undefined: the bytes were not kept, or are gone. Null: there was no file. */
async function bytesOf(image: FileImage, blobs: Pick<Blobs, 'get'>): Promise<Uint8Array | null | undefined> {
  if (image === null) return null;
  return image.kept ? ((await blobs.get(image.blob)) ?? undefined) : undefined;
}

async function requestOf(ref: BlobRef, blobs: Pick<Blobs, 'get'>): Promise<RequestDetail | null> {
  const bytes = await blobs.get(ref);
  if (bytes === null) return null;
  const request: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const messages = listAt(request, 'messages').map((message) => ({
    role: String(Reflect.get(Object(message), 'role')),
    text: listAt(message, 'parts').map(partText).join('\n'),
  }));
  const tools = listAt(request, 'tools').map((tool) => ({
    name: String(Reflect.get(Object(tool), 'name')),
    bytes: Buffer.byteLength(JSON.stringify(tool)),
  }));
  const effort = effortSchema.safeParse(fieldOf(request, 'effort'));
  return { messages, tools, ...(effort.success ? { effort: effort.data } : {}) };
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found: unknown = fieldOf(value, key);
  return Array.isArray(found) ? found : [];
}

/** A part as text for people: its text, a description of an image, or a call as JSON. */
function partText(part: unknown): string {
  const known = partSchema.safeParse(part);
  if (known.success && known.data.type === 'image') return textOfPart(known.data);
  const text: unknown = Reflect.get(Object(part), 'text');
  if (typeof text === 'string') return text;
  const name: unknown = Reflect.get(Object(part), 'name');
  return `${String(name)} ${JSON.stringify(Reflect.get(Object(part), 'input'))}`;
}
