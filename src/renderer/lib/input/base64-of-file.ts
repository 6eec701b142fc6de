import { t } from '../text/translate.ts';

/** Rejects with a text for the user if the file cannot be read, for example because it is gone. */
export function base64OfFile(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(new Error(t('attach.unreadable', { name: file.name }))));
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      // The data URL of an empty file has no comma.
      const comma = url.indexOf(',');
      resolve(comma === -1 ? '' : url.slice(comma + 1));
    });
    reader.readAsDataURL(file);
  });
}
