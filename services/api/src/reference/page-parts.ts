/** Colours from the reader's system; everything else from the browser. */
export const style = `
:root{color-scheme:light dark;--line:light-dark(#d8dee4,#30363d);--soft:light-dark(#f6f8fa,#161b22);--ink:light-dark(#1f2328,#e6edf3);--dim:light-dark(#59636e,#9198a1);--link:light-dark(#0550ae,#79c0ff)}
:root.light{color-scheme:light}:root.dark{color-scheme:dark}
*{box-sizing:border-box}body{margin:0;font:15px/1.55 system-ui,sans-serif;color:var(--ink);background:light-dark(#fff,#0d1117)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}code{background:var(--soft);padding:.1em .3em;border-radius:4px}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.8em 1em;overflow-x:auto}pre code{background:none;padding:0}
.frame{display:grid;grid-template-columns:18rem minmax(0,1fr);max-width:86rem;margin:auto}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.2rem;border-right:1px solid var(--line);font-size:14px}
nav ul{list-style:none;margin:.2rem 0 1rem;padding:0}nav li{padding:.1rem 0}nav h2{font-size:13px;margin:.6rem 0 0}nav h2 a{color:var(--dim)}
nav input,nav button{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem}nav input{width:100%;margin:.6rem 0}nav button{cursor:pointer}
main{padding:1.2rem 2.4rem 6rem;min-width:0}main.alone{max-width:44rem;margin:8vh auto}
section>h2{margin-top:3rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}article{margin:2.2rem 0;scroll-margin-top:1rem}article>h3{margin-bottom:.2rem}
.route{font:600 14px ui-monospace,monospace;overflow-wrap:anywhere}.verb{display:inline-block;min-width:4.2em;text-align:center;border-radius:4px;padding:.1em .5em;margin-right:.6em;color:#fff;background:#0969da}.verb.post{background:#1a7f37}.verb.delete{background:#b42318}
table{border-collapse:collapse;width:100%;margin:.4rem 0 1rem;font-size:14px}td,th{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}td:first-child{white-space:nowrap}
td table{margin:.3rem 0 0}td p{margin:0}.dim{color:var(--dim)}details{border:1px solid var(--line);border-radius:6px;padding:.3rem .8rem;margin:.4rem 0}summary{cursor:pointer}
@media(max-width:60rem){.frame{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
`;

/**
 * Finds routes by a word, and remembers whether the reader likes it light or dark. The page reads
 * as well without it.
 */
export const script = `
const root = document.documentElement;
const themes = ['', 'light', 'dark'];
const button = document.querySelector('#theme');
const show = (theme) => { root.className = theme; if (button) button.textContent = 'Theme: ' + (theme || 'system'); };
let theme = '';
try { theme = localStorage.getItem('theme') || ''; } catch { theme = ''; }
show(themes.includes(theme) ? theme : '');
button?.addEventListener('click', () => {
  theme = themes[(themes.indexOf(root.className) + 1) % themes.length];
  try { localStorage.setItem('theme', theme); } catch { /* a private window */ }
  show(theme);
});
document.querySelector('#filter')?.addEventListener('input', ({ target }) => {
  const word = target.value.trim().toLowerCase();
  for (const item of document.querySelectorAll('nav li')) item.hidden = !item.textContent.toLowerCase().includes(word);
});
`;
