import { t } from '../text/translate.ts';

/** Rejects with words for a person where it cannot be read, such as a file that is gone since. */
export function base64OfFile(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(new Error(t('attach.unreadable', { name: file.name }))));
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      // Of an empty file there is no comma.
      const comma = url.indexOf(',');
      resolve(comma === -1 ? '' : url.slice(comma + 1));
    });
    reader.readAsDataURL(file);
  });
}
