// In place of `electron` in the preload script: the test shell keeps the path of a file on the file itself.
import electron from 'electron';

export const { contextBridge, ipcRenderer } = electron;
export const webUtils = { getPathForFile: (file) => file.path ?? '' };
