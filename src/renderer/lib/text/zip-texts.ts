/** A text that becomes a file. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

const encoder = new TextEncoder();
/** Names are UTF-8, and files are stored as they are. */
const utf8 = 0x08_00;
/** 1 January 1980, the first day that the format knows: no date is told. */
const noDate = 0x21;

/** A zip archive of texts, each in its own file. A second file of one name gets a number. */
export function zipTexts(files: readonly NamedText[]): Uint8Array<ArrayBuffer> {
  const taken = new Set<string>();
  const parts: Uint8Array[] = [];
  const index: Uint8Array[] = [];
  let at = 0;
  for (const { name, text } of files) {
    const [label, data] = [encoder.encode(freeName(name, taken)), encoder.encode(text)];
    const facts = [utf8, 0, 0, noDate].flatMap(u16).concat([crcOf(data), data.length, data.length].flatMap(u32));
    const local = Uint8Array.from([...u32(0x04_03_4b_50), ...u16(20), ...facts, ...u16(label.length), ...u16(0)]);
    index.push(
      Uint8Array.from([
        ...u32(0x02_01_4b_50),
        ...u32(0x00_14_00_14),
        ...facts,
        ...u16(label.length),
        // No more fields, no comment, the first disk, no attributes.
        ...new Uint8Array(12),
        ...u32(at),
      ]),
      label,
    );
    parts.push(local, label, data);
    at += local.length + label.length + data.length;
  }
  const size = index.reduce((sum, { length }) => sum + length, 0);
  const count = u16(files.length);
  const end = [...u32(0x06_05_4b_50), ...u16(0), ...u16(0), ...count, ...count, ...u32(size), ...u32(at), ...u16(0)];
  return joined([...parts, ...index, Uint8Array.from(end)]);
}

function freeName(name: string, taken: Set<string>): string {
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]*)?$/u.exec(name) ?? [];
  let free = name;
  // File systems may take two cases of a letter for one.
  for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${stem} ${count}${ending}`;
  taken.add(free.toLowerCase());
  return free;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const u16 = (value: number): readonly number[] => [value & 0xff, (value >>> 8) & 0xff];
const u32 = (value: number): readonly number[] => [...u16(value), ...u16(value >>> 16)];

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 1 ? (sum >>> 1) ^ 0xed_b8_83_20 : sum >>> 1;
  return sum;
});

function crcOf(bytes: Uint8Array): number {
  let sum = 0xff_ff_ff_ff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (crcTable[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xff_ff_ff_ff) >>> 0;
}
