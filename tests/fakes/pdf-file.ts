import { deflateSync } from 'node:zlib';

export interface PdfOptions {
  /** The lines of each page. A page without lines has no text, like a scan. */
  readonly pages: readonly (readonly string[])[];
  readonly isCompressed?: boolean;
  readonly isEncrypted?: boolean;
  /** Compressed content that replaces the content of every page, for malicious files. */
  readonly content?: Uint8Array;
  /** What each page is wide and high, in points. Default: a letter page. */
  readonly size?: readonly [number, number];
  /** More of the catalog, such as an action at opening. */
  readonly catalog?: string;
}

/** A PDF made from scratch: with plain or compressed content, with pictures as pages, or locked with a password. */
export function pdfFile({
  pages,
  isCompressed = false,
  isEncrypted = false,
  content,
  size = [612, 792],
  catalog = '',
}: PdfOptions): Buffer {
  const objects: Buffer[] = [];
  const add = (body: string | Buffer): void => void objects.push(Buffer.from(body));
  const first = 5;
  const kids = pages.map((_, at) => `${first + at * 2} 0 R`).join(' ');
  add(`<< /Type /Catalog /Pages 2 0 R ${catalog} >>`);
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const dot =
    '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1';
  add(`${dot} >>\nstream\nx\nendstream`);
  for (const [at, lines] of pages.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Contents ${first + at * 2 + 1} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >> >>`,
    );
    const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/gu, '\\$&')}) Tj T*`).join('\n');
    const drawn = lines.length === 0 ? 'q 600 0 0 780 0 0 cm /I1 Do Q' : `BT /F1 12 Tf 14 TL 40 740 Td\n${shown}\nET`;
    const isPacked = isCompressed || content !== undefined;
    const bytes = content ?? (isCompressed ? deflateSync(Buffer.from(drawn, 'latin1')) : Buffer.from(drawn, 'latin1'));
    const head = `<< /Length ${bytes.length}${isPacked ? ' /Filter /FlateDecode' : ''} >>\nstream\n`;
    add(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]));
  }
  return written(objects, isEncrypted);
}

function written(objects: readonly Buffer[], isEncrypted: boolean): Buffer {
  const key = 'ab'.repeat(32);
  const lock = `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -3904 /O <${key}> /U <${key}> >>`;
  const all = isEncrypted ? [...objects, Buffer.from(lock)] : objects;
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const starts: number[] = [];
  let at = pieces[0]?.length ?? 0;
  for (const [index, body] of all.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    starts.push(at);
    at += piece.length;
    pieces.push(piece);
  }
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const id = '<00112233445566778899aabbccddeeff>';
  const locked = isEncrypted ? ` /Encrypt ${all.length} 0 R /ID [${id} ${id}]` : '';
  const trailer = `trailer\n<< /Size ${all.length + 1} /Root 1 0 R${locked} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(`xref\n0 ${all.length + 1}\n0000000000 65535 f \n${rows}${trailer}`)]);
}
