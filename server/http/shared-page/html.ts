/** The frame of the public pages: plain HTML in the colours of the dashboard. They need no session and nothing of the dashboard, and can be looked at without a script. */

/** Text for HTML, also within attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** What a link may not end with: the sentence around it does. */
const trailing = new Set(`.,;:!?)]}'"»”`);

/** An address without what belongs to the sentence around it. An expression would look at long runs again and again. */
function trimAddress(found: string): string {
  let end = found.length;
  while (trailing.has(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
}

/** Text of people as HTML: escaped, with its web addresses as links. */
export function toHtml(text: string): string {
  let html = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/https?:\/\/[^\s<>"]+/gu)) {
    const url = trimAddress(found);
    html += escapeHtml(text.slice(from, index));
    html += `<a href="${escapeHtml(url)}" target="_blank" rel="noreferrer nofollow ugc">${escapeHtml(url)}</a>`;
    from = index + url.length;
  }
  return html + escapeHtml(text.slice(from));
}

export const formatDay = (timestamp: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(timestamp));

/** Seconds as a clock. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

export type Page = {
  title: string;
  /** HTML. */
  body: string;
  /** HTML of the head besides what every page has. */
  head?: string;
  /** Classes of the body. */
  look?: string;
  /** The address of the script, where it was built. */
  script?: string | null;
};

export const renderPage = ({ title, body, head = '', look = '', script = null }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>${head}<style>${style}</style>${script === null ? '' : `<script src="${script}" defer></script>`}</head><body class="${look}">${body}</body></html>
`;

/** The same for every link that does not work, so that a response does not tell which of them once did. */
export const renderMissingPage = (): string =>
  renderPage({
    title: 'This link does not work',
    look: 'middle',
    body: '<main class="card"><h1>This link does not work</h1><p class="quiet">It may have expired or been revoked. Ask whoever sent it for a new one.</p></main>',
  });

/** Asks for the password of a link, and says nothing of what it leads to. @param problem why the last one was refused */
export const renderPasswordPage = (action: string, problem: string | null): string =>
  renderPage({
    title: 'This link has a password',
    look: 'middle',
    body: `<main class="card"><h1>This link has a password</h1><p class="quiet">Whoever sent you the link knows it.</p>
<form method="post" action="${escapeHtml(action)}"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200" autofocus${problem === null ? '' : ' aria-invalid="true" aria-describedby="problem"'}>
${problem === null ? '' : `<p id="problem" class="problem" role="alert">${escapeHtml(problem)}</p>`}
<button class="primary">Open</button></form></main>`,
  });

/** The colours of the dashboard (`src/index.css`). */
const dark = `color-scheme:dark;--canvas:#121110;--surface:#1b1a18;--raised:#272522;--line:#3a3732;--ink:#f3f0eb;--quiet:#aaa49b;--accent:#62cabd;--accent-ink:#06231f;--accent-soft:#14352f;--warm:#f2b45c;--warm-soft:#38290f;--danger:#ff8a80;--good:#9ccb6f`;
const style = `:root{color-scheme:light dark;--canvas:#faf9f7;--surface:#fff;--raised:#f1efeb;--line:#e2ded6;--ink:#1d1a16;--quiet:#625c53;--accent:#0f6b63;--accent-ink:#fff;--accent-soft:#dff1ee;--warm:#a84b08;--warm-soft:#fdf0dc;--danger:#bd2d24;--good:#3c7420}
@media (prefers-color-scheme:dark){:root{${dark}}}
.dark{${dark}}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;background:var(--canvas);color:var(--ink);font:1rem/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-font-smoothing:antialiased}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0;font-size:1rem;font-weight:600}
p{margin:0;overflow-wrap:anywhere}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.quiet{color:var(--quiet);font-size:.875rem}
.note{margin-top:.5rem;max-width:44rem;white-space:pre-line}
.button,button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.5rem;padding:0 1rem;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--ink);font:inherit;font-size:.875rem;font-weight:550;text-decoration:none;cursor:pointer;white-space:nowrap;transition:background .12s}
.button:hover,button:hover{background:var(--raised)}
.primary{border-color:transparent;background:var(--accent);color:var(--accent-ink)}
.primary:hover{background:var(--accent);filter:brightness(1.1)}
.icon{width:2.75rem;min-height:2.75rem;padding:0}
.button svg{width:1.125rem;height:1.125rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
input,textarea{width:100%;min-height:2.5rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:8px;background:var(--canvas);color:var(--ink);font:inherit;font-size:1rem}
textarea{min-height:5rem;resize:vertical}
label{display:block;margin-bottom:.25rem;font-size:.875rem;font-weight:550}
form{display:grid;gap:.75rem;margin-top:1rem}
.problem{color:var(--danger);font-size:.875rem}
.middle{display:grid;place-items:center;padding:1rem}
.card{width:min(26rem,100%);padding:1.5rem;border:1px solid var(--line);border-radius:10px;background:var(--surface)}
.card h1{font-size:1.125rem}
.card p{margin-top:.5rem}
.gallery{padding:clamp(1rem,3vw,2.5rem)}
.gallery header{display:flex;flex-wrap:wrap;align-items:end;justify-content:space-between;gap:1rem;margin-bottom:clamp(1rem,2.5vw,2rem)}
.gallery header>div{min-width:0;flex:1 1 20rem}
.gallery .quiet{margin-top:.375rem}
.rows{--h:15rem;display:flex;flex-wrap:wrap;gap:6px;margin:0;padding:0;list-style:none}
.rows::after{content:"";flex:1e9 0 0}
.rows li{position:relative;flex:calc(var(--r)*1000) 1 calc(var(--r)*var(--h));min-width:0;max-width:calc(var(--r)*var(--h)*1.7);aspect-ratio:var(--r);overflow:hidden;border-radius:4px;background:var(--raised)}
.rows a{display:block;height:100%}
.rows img{display:block;width:100%;height:100%;object-fit:cover;transition:transform .2s}
.rows a:hover img{transform:scale(1.02)}
.rows a:focus-visible{outline-offset:-3px}
.length{position:absolute;right:.375rem;bottom:.375rem;padding:.0625rem .375rem;border-radius:4px;background:rgb(0 0 0/.7);color:#fff;font-size:.75rem;font-variant-numeric:tabular-nums}
.empty{padding:4rem 1rem;text-align:center}
.viewer{display:grid;grid-template-rows:auto 1fr auto}
.bar{display:flex;align-items:center;gap:.5rem;min-height:3.75rem;padding:.5rem clamp(.5rem,2vw,1rem)}
.bar h1{flex:1;min-width:0;overflow:hidden;font-size:1rem;text-overflow:ellipsis;white-space:nowrap}
.bar .quiet{font-variant-numeric:tabular-nums;white-space:nowrap}
.stage{position:relative;display:grid;place-items:center;min-height:0;padding:0 clamp(0px,1vw,1rem)}
.stage video,.stage img{display:block;width:100%;height:auto;max-height:calc(100dvh - 8rem);object-fit:contain}
.stage video{background:#000;border-radius:min(10px,1vw)}
.viewer.dark .stage img,.viewer.dark .stage video{height:calc(100dvh - 7.5rem)}
.step{position:absolute;top:50%;z-index:1;translate:0 -50%;border-radius:50%;border-color:transparent;background:rgb(0 0 0/.55);color:#fff}
.step:hover{background:rgb(0 0 0/.8)}
.previous{left:.75rem}.next{right:.75rem}
.about{padding:1rem clamp(1rem,2vw,1.5rem)}
.talk{padding:1rem clamp(1rem,2vw,1.5rem) 2rem}
.talk ul{display:grid;gap:.875rem;margin:1rem 0 0;padding:0;list-style:none}
.talk ul ul{margin:.625rem 0 0 1rem;padding-left:.75rem;border-left:2px solid var(--line)}
.talk li p{white-space:pre-line}
.who{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .5rem;font-size:.875rem}
.who b{font-weight:600}
.tag{padding:0 .5rem;border-radius:1rem;background:var(--warm-soft);color:var(--warm);font-size:.75rem;line-height:1.25rem}
.at{padding:0 .5rem;border-radius:1rem;background:var(--accent-soft);color:var(--accent);font-size:.75rem;line-height:1.5rem;text-decoration:none;font-variant-numeric:tabular-nums}
.done{color:var(--good);font-size:.75rem}
.pair{display:grid;grid-template-columns:1fr 7rem;gap:.75rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (max-width:700px){.rows{--h:7rem;gap:3px}.rows li{border-radius:2px}h1{font-size:1.25rem}.previous{left:.25rem}.next{right:.25rem}.text{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
@media (min-width:1000px){.viewer.talking{grid-template:auto 1fr auto/minmax(0,1fr) 24rem}.viewer.talking .bar{grid-column:1/-1}.viewer.talking .talk{grid-column:2;grid-row:2/4;overflow-y:auto;max-height:calc(100dvh - 3.75rem);border-left:1px solid var(--line)}}
@media (pointer:coarse){.button,button,.at{min-height:2.75rem}.at{display:inline-flex;align-items:center}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@view-transition{navigation:auto}
@media (prefers-reduced-motion:reduce){@view-transition{navigation:none}}`;
