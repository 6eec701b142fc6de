import { useState } from 'react';
import { useClient } from './core-context.ts';
import { failureText } from './failure-text.ts';
import { useIsCommandRefused, useIsWindow } from './use-host-info.ts';
import { announce } from '../notices/announce.ts';
import { t } from '../text/translate.ts';

interface Screenshot {
  /** Lets the user choose a screen or a window, and hands on its picture. Nothing is captured before. */
  readonly take: () => void;
  readonly isTaking: boolean;
}

/**
 * A picture of the screen: in the window by the list of the app, in a browser by the browser's own dialog. Null: this
 * page cannot take one.
 */
export function useScreenshot(onPicture: (picture: File) => void): Screenshot | null {
  const client = useClient();
  const isWindow = useIsWindow();
  // While the host is unknown, everything counts as refused.
  const isRefused = useIsCommandRefused('host.takeScreenshot');
  const [isTaking, setIsTaking] = useState(false);
  if (isRefused || (!isWindow && !canAskBrowser())) return null;
  const take = async (): Promise<void> => {
    setIsTaking(true);
    try {
      const picture = isWindow ? pictureOf((await client.host.takeScreenshot()).data) : await pictureByBrowser();
      if (picture === null) announce({ kind: 'info', text: t('screenshot.none') });
      else onPicture(new File([picture], t('screenshot.file'), { type: 'image/png' }));
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    } finally {
      setIsTaking(false);
    }
  };
  return { take: () => void take(), isTaking };
}

function pictureOf(data: string | null): Blob | null {
  return data === null ? null : new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]);
}

/** Browsers offer it only to pages of this machine and to encrypted ones. */
function canAskBrowser(): boolean {
  return 'mediaDevices' in navigator && 'getDisplayMedia' in navigator.mediaDevices;
}

/** One picture of what the user chooses in the browser's dialog. Null: the dialog was closed without a choice. */
async function pictureByBrowser(): Promise<Blob | null> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    // A closed dialog and a browser that may not see the screen are the same to a page.
    if (name === 'NotAllowedError' || name === 'AbortError') return null;
    throw new Error(t('screenshot.noScreen'), { cause: error });
  }
  try {
    return await firstPicture(stream);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function firstPicture(stream: MediaStream): Promise<Blob> {
  const [track] = stream.getVideoTracks();
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = stream;
  const ended = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Error(t('screenshot.closed')));
    if (track === undefined || track.readyState === 'ended') fail();
    else track.addEventListener('ended', fail, { once: true });
  });
  try {
    await Promise.race([video.play(), ended]);
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (picture === null) throw new Error(t('screenshot.closed'));
    return picture;
  } finally {
    video.srcObject = null;
  }
}
