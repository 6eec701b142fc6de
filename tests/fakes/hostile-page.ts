/** A page that tries all ways to a server, and to the page around it. */
export const pageOf = (
  evil: string,
): string => `<!doctype html><title>A page</title><style>h1{color:rgb(1, 2, 3)}</style>
<meta http-equiv="refresh" content="0;url=${evil}/refresh">
<link rel="preconnect" href="${evil}"><link rel="stylesheet" href="${evil}/a.css">
<style>@import url(${evil}/b.css); body{background:url(${evil}/c.png)}</style>
<h1>Made by the agent</h1><p id="said">no script ran</p>
<img src="${evil}/d.png" onerror="top.pwned=1"><a id="away" href="${evil}/e">away</a>
<iframe src="${evil}/f"></iframe><object data="${evil}/g"></object>
<form action="${evil}/h"><button>send</button></form><video src="${evil}/i" autoplay></video>
<svg><image href="${evil}/j"/><script>document.querySelector('#said').textContent='a script ran'</script></svg>
<script>
  document.querySelector('#said').textContent = 'a script ran';
  for (const work of [
    () => { top.pwned = 1; }, () => { parent.pwned = 1; }, () => { top.location = '${evil}/top'; },
    () => { parent.location = '${evil}/parent'; }, () => fetch('${evil}/fetch').catch(() => 0),
    () => new WebSocket('${evil.replace('http', 'ws')}/socket'), () => navigator.sendBeacon('${evil}/beacon'),
    () => { new Image().src = '${evil}/image'; }, () => window.open('${evil}/open'),
    () => localStorage.setItem('a', 'b'), () => top.postMessage({ type: 'ready' }, '*'),
    () => { location.href = '${evil}/self'; },
  ]) { try { work(); } catch { } }
</script>`;

/** A drawing that tries the same. */
export const drawingOf = (
  evil: string,
): string => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="40" onload="top.pwned=1">
<style>@import url(${evil}/k.css);</style><script>top.pwned = 1; fetch('${evil}/l')</script>
<image xlink:href="${evil}/m.png" width="9" height="9"/><rect width="80" height="40" fill="teal"/>
<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${evil}/n"></iframe></foreignObject></svg>`;
