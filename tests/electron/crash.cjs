// Runs the built app, starts a task on its page, shows the first words of the answer, and crashes. A test driver cannot
// do this, because it would hold on to the page after the crash.
const { app } = require('electron');

const { DEWPOINT_MAIN, DEWPOINT_PROJECT, DEWPOINT_FIRST, DEWPOINT_REST } = process.env;

// Runs in the page.
const startTask = (project) => {
  const type = (field, text) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const timer = setInterval(() => {
    const task = document.querySelector('textarea');
    const place = document.querySelector('input[role=combobox], input[list]');
    const plan = document.querySelector('[data-mode=plan]');
    if (task === null || place === null || plan === null) return;
    clearInterval(timer);
    type(task, 'Say how it goes.');
    type(place, project);
    plan.click();
    setTimeout(() => task.form.requestSubmit(), 100);
  }, 50);
};
const logText = "document.querySelector('[role=log]')?.innerText ?? ''";

let loads = 0;
app.on('web-contents-created', (_event, contents) => {
  const until = async (text) => {
    while (!(await contents.executeJavaScript(logText)).includes(text)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  contents.on('did-finish-load', async () => {
    loads += 1;
    if (loads === 1) {
      await contents.executeJavaScript(`(${startTask.toString()})(${JSON.stringify(DEWPOINT_PROJECT)})`);
      await until(DEWPOINT_FIRST);
      contents.forcefullyCrashRenderer();
      process.stdout.write('crashed\n');
      return;
    }
    await until(DEWPOINT_REST);
    process.stdout.write(JSON.stringify(await contents.executeJavaScript(logText)));
    app.quit();
  });
});
require(DEWPOINT_MAIN);
