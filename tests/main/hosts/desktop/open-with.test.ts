import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { linkScheme } from '../../../../src/main/hosts/desktop/app-requests.ts';

/** The kinds of files that Dewpoint accepts, with their name on each system. */
const kinds = [
  ['.md', 'text/markdown', 'net.daringfireball.markdown'],
  ['.txt', 'text/plain', 'public.plain-text'],
  ['.csv', 'text/csv', 'public.comma-separated-values-text'],
  ['.json', 'application/json', 'public.json'],
  ['.pdf', 'application/pdf', 'com.adobe.pdf'],
  ['.png', 'image/png', 'public.png'],
  ['.jpg', 'image/jpeg', 'public.jpeg'],
  ['.gif', 'image/gif', 'com.compuserve.gif'],
  ['.webp', 'image/webp', 'org.webmproject.webp'],
] as const;

const documentType = z.object({ LSHandlerRank: z.string(), LSItemContentTypes: z.array(z.string()) });
const configuration = z.object({
  productName: z.string(),
  executableName: z.string(),
  protocols: z.array(z.object({ schemes: z.array(z.string()) })),
  linux: z.looseObject({ mimeTypes: z.array(z.string()), syncDesktopName: z.boolean() }),
  mac: z.object({ extendInfo: z.object({ CFBundleDocumentTypes: z.array(documentType) }) }),
  nsis: z.object({ include: z.string() }),
});
const config = configuration.parse(JSON.parse(readFileSync('electron-builder.json', 'utf8')));

/** Catches: a kind of file that is not registered on one of the systems, or that is registered but refused. */
it('the app is registered for the same files, folders and links on Linux, macOS and Windows', () => {
  expect(config.linux.mimeTypes.toSorted()).toEqual(['inode/directory', ...kinds.map(([, mime]) => mime)].toSorted());
  const types = config.mac.extendInfo.CFBundleDocumentTypes;
  expect(types.flatMap((one) => one.LSItemContentTypes).toSorted()).toEqual(
    ['public.folder', ...kinds.map(([, , type]) => type)].toSorted(),
  );
  // Dewpoint does not replace another program as the default for a kind of file.
  expect(types.map((one) => one.LSHandlerRank)).toEqual(['Alternate', 'Alternate']);
  const installer = readFileSync(config.nsis.include, 'utf8');
  const extensions = [...installer.matchAll(/insertmacro openWithFile "([^"]+)"/gu)].map(([, one = '']) => one);
  expect(extensions.toSorted()).toEqual(['.jpeg', ...kinds.map(([extension]) => extension)].toSorted());
  expect(installer).not.toMatch(/Software\\Classes\\\./u);
  expect(config.protocols.flatMap(({ schemes }) => schemes)).toEqual([linkScheme]);
  expect(installer).toContain(`"Software\\Classes\\${linkScheme}" "URL Protocol" ""`);
});

/** Catches: entries that stay behind after an uninstall. */
it('the installer of Windows removes every entry when the app is removed', () => {
  const installer = readFileSync(config.nsis.include, 'utf8');
  const [, undo = ''] = installer.split('!macro customUnInstall');
  const removed = [...undo.matchAll(/DeleteRegKey HKCU "([^"]+)"/gu)].map(([, key = '']) => key);
  const folders = [...installer.matchAll(/insertmacro openWithFolder "([^"]+)"/gu)].map(([, key = '']) => key);
  const written = [...installer.matchAll(/WriteRegStr HKCU "([^"]+)"/gu)].flatMap(([, key = '']) =>
    key.includes('${KEY}') ? folders.map((folder) => key.replace('${KEY}', folder)) : [key],
  );
  expect(written.length).toBeGreaterThan(8);
  expect(written.filter((key) => !removed.some((one) => key === one || key.startsWith(`${one}\\`)))).toEqual([]);
});

const desktopHelper = z.object({
  LinuxTargetHelper: z.custom<new (packager: object) => { computeDesktopEntry: (options: object) => Promise<string> }>(
    (value) => typeof value === 'function',
  ),
});

/** Catches: settings that the packer understands in another way than intended. */
it('the entry that the packer writes for Linux desktops has the kinds of files, folders and links', async () => {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const { LinuxTargetHelper } = desktopHelper.parse(builder('app-builder-lib/out/targets/LinuxTargetHelper.js'));
  const { productName, executableName } = config;
  const helper = new LinuxTargetHelper({
    appInfo: { productName, sanitizedProductName: productName, description: 'A coding agent.' },
    executableName,
    config,
    platformSpecificBuildOptions: config.linux,
    fileAssociations: [],
    info: { metadata: { desktopName: 'dewpoint.desktop' } },
  });
  const lines = (await helper.computeDesktopEntry(config.linux)).split('\n');
  const mimes =
    lines
      .find((line) => line.startsWith('MimeType='))
      ?.slice('MimeType='.length)
      .split(';') ?? [];
  expect(mimes).toEqual(
    expect.arrayContaining(['inode/directory', 'application/pdf', `x-scheme-handler/${linkScheme}`]),
  );
  // Each address is its own argument, as `requestInArguments` expects.
  expect(lines).toContain('Exec=/opt/Dewpoint/dewpoint %U');
  expect(lines).toContain('StartupWMClass=dewpoint');
});
