// Runs the built app, and loads its page again or closes its window before the page is there.
const { BrowserWindow, app } = require('electron');

const { DEWPOINT_MAIN, DEWPOINT_EARLY } = process.env;

app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', () => {
    if (DEWPOINT_EARLY === 'close') {
      BrowserWindow.fromWebContents(contents).close();
      return;
    }
    contents.once('did-finish-load', () => {
      process.stdout.write('loaded');
      app.quit();
    });
    contents.reload();
  });
});
require(DEWPOINT_MAIN);
