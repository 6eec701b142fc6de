// The built app, whose page crashes once it is there. A driver would hold on to the page that is gone.
const { app } = require('electron');

let loads = 0;
app.on('web-contents-created', (_event, contents) => {
  contents.on('did-finish-load', async () => {
    loads += 1;
    if (loads === 1) {
      contents.forcefullyCrashRenderer();
      return;
    }
    const isThere = await contents.executeJavaScript("document.getElementById('root') !== null");
    process.stdout.write(isThere ? 'revived\n' : 'empty\n');
    app.quit();
  });
});
require(process.env.DEWPOINT_MAIN);
