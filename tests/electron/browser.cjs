// A bare browser for the test of `dewpoint serve`: Chromium with no preload and nothing of ours.
const { app, BrowserWindow } = require('electron');

app.setPath('userData', process.env.BROWSER_DATA);
void app.whenReady().then(() => new BrowserWindow({ webPreferences: { sandbox: true } }).loadURL('about:blank'));
