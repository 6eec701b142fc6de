// A bare browser for the test of `dewpoint serve`: Chromium without a preload script or any other code of Dewpoint.
const { app, BrowserWindow } = require('electron');

app.setPath('userData', process.env.BROWSER_DATA);
void app.whenReady().then(() => new BrowserWindow({ webPreferences: { sandbox: true } }).loadURL('about:blank'));
