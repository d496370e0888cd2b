'use strict';
// Guards, tabs, search, keys.

TABS.guards = { title: 'Guards', count: () => DATA.guards.reduce((n, f) => n + f.guards.length, 0),
  items: () => DATA.guards.map((f, i) => ({ key: String(i), row: [e('span.name', {}, '@' + f.name), e('small', {}, String(f.guards.length))] })),
  detail: (section, key) => {
    const f = DATA.guards[Number(key)];
    const proved = f.guards.filter(g => g.status === 'proved').length;
    section.append(e('h2', {}, '@' + f.name), e('p.lead', {}, `What the function assumes: ${proved} proved when it was compiled, ${f.guards.length - proved} checked when it is called.`));
    if (f.guards.length) section.append(e('table', {}, e('thead', {}, e('tr', {}, ['Assumption', 'Where it comes from', 'Status', 'By'].map(t => e('th', {}, t)))),
      e('tbody', {}, f.guards.map(g => {
        const cells = [g.what, g.source, null, g.by].map((text, i) => {
          if (i === 2) return e('td', {}, e('span.badge.' + g.status, {}, g.status));
          const cell = e(i === 0 ? 'code' : 'span');
          appendMarked(cell, text || '');
          return e('td', {}, cell);
        });
        return e('tr', {}, cells);
      }))));
  },
  first: () => DATA.guards.length ? '0' : undefined,
  matches: (key, query) => JSON.stringify(DATA.guards[Number(key)]).toLowerCase().includes(query) };

const ORDER = ['passes', 'graph', 'kernels', 'memory', 'guards'];
const main = document.getElementById('main'), search = document.getElementById('search');
let aside, section;

// Whether a line has the text that is looked for; known lines aren't looked at again.
let known = { query: '', lines: null };
function lineMatches(line, query) {
  if (known.query !== query) known = { query, lines: new Int8Array(DATA.lines.length) };
  return (known.lines[line] ||= DATA.lines[line].toLowerCase().includes(query) ? 1 : -1) === 1;
}

function items() { return TABS[STATE.tab].items(); }

function show(tab, choice) {
  STATE.tab = tab;
  if (choice !== undefined) STATE.choice[tab] = choice;
  if (STATE.choice[tab] === undefined) STATE.choice[tab] = TABS[tab].first();
  hideTip();
  const current = STATE.choice[tab];
  document.querySelectorAll('#tabs button').forEach(b => b.setAttribute('aria-selected', String(b.dataset.tab === tab)));
  const scroll = aside ? aside.scrollTop : 0;
  aside = e('aside');
  section = e('section');
  main.replaceChildren(aside, section);
  const list = items();
  for (const item of list) {
    const hit = STATE.query && TABS[tab].matches(item.key, STATE.query);
    aside.append(e('div.item' + (item.same ? '.same' : ''), {
      'aria-current': String(item.key === current), 'data-key': item.key, onclick: () => show(tab, item.key), title: item.same ? 'changed nothing' : null,
    }, item.row, hit ? e('mark', {}, '•') : null));
  }
  aside.scrollTop = scroll;
  aside.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
  if (current === undefined || !list.some(i => i.key === current)) section.append(e('p.empty', {}, 'There is nothing of this here.'));
  else TABS[tab].detail(section, current);
  history.replaceState(null, '', '#' + [tab, current].filter(x => x !== undefined).map(encodeURIComponent).join('/'));
  countMatches();
}

function countMatches() {
  const text = document.getElementById('matches');
  if (!STATE.query) { text.textContent = ''; return; }
  const here = items().filter(i => TABS[STATE.tab].matches(i.key, STATE.query)).length;
  text.textContent = `${here} of ${items().length}`;
}

function step(by, wanted) {
  const list = items().filter(wanted || (() => true));
  const all = items().map(i => i.key), at = all.indexOf(STATE.choice[STATE.tab]);
  const next = by > 0 ? list.find(i => all.indexOf(i.key) > at) : list.filter(i => all.indexOf(i.key) < at).pop();
  if (next) show(STATE.tab, next.key);
}

// To the next run of changed rows.
function stepChange(by) {
  const runs = [...section.querySelectorAll('.row.add, .row.del')].filter(r => !r.previousElementSibling?.matches('.add, .del'));
  const edge = section.getBoundingClientRect().top + 90;
  const next = by > 0 ? runs.find(r => r.getBoundingClientRect().top > edge + 4) : runs.filter(r => r.getBoundingClientRect().top < edge - 4).pop();
  section.querySelectorAll('.cursor').forEach(r => r.classList.remove('cursor'));
  if (next) {
    next.classList.add('cursor');
    section.scrollTop += next.getBoundingClientRect().top - edge;
  } else step(by, i => !i.same);
}

function theme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  try { localStorage.setItem('relax-dark', dark ? '1' : ''); } catch { /* a file may have no storage */ }
  section?.redraw?.();
}
function startTheme() {
  let kept = null;
  try { kept = localStorage.getItem('relax-dark'); } catch { /* the same */ }
  const wanted = new URLSearchParams(location.search).get('theme');
  theme(wanted ? wanted === 'dark' : kept === null ? matchMedia('(prefers-color-scheme: dark)').matches : kept === '1');
}

function start() {
  document.title = 'relax · ' + DATA.input;
  document.getElementById('input').textContent = DATA.input + (DATA.disabled.length ? ' without ' + DATA.disabled.join(', ') : '');
  if (DATA.error) {
    const failure = document.getElementById('failure');
    failure.textContent = DATA.error;
    failure.hidden = false;
  }
  document.body.append(tip);
  const tabs = document.getElementById('tabs');
  ORDER.forEach(name => tabs.append(e('button', { role: 'tab', 'data-tab': name, onclick: () => show(name) }, TABS[name].title, e('sup', {}, String(TABS[name].count())))));
  search.addEventListener('input', () => { STATE.query = search.value.trim().toLowerCase(); show(STATE.tab); });
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1, i => TABS[STATE.tab].matches(i.key, STATE.query));
  });
  document.getElementById('theme').onclick = () => theme(!document.documentElement.classList.contains('dark'));
  document.getElementById('help').onclick = () => document.getElementById('keys').showModal();
  const short = document.getElementById('short');
  short.onchange = () => { STATE.short = short.checked; show(STATE.tab); };
  addEventListener('resize', () => section?.redraw?.());
  addEventListener('keydown', event => {
    if (event.key === 'Escape') { search.blur(); document.getElementById('keys').close(); return; }
    if (event.target.matches('input, select') && event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1), n: () => stepChange(1), p: () => stepChange(-1),
      '/': () => search.focus(), d: () => document.getElementById('theme').click(), t: () => short.click(), '?': () => document.getElementById('keys').showModal(),
    }[event.key] || (/^[1-5]$/.test(event.key) && (() => show(ORDER[Number(event.key) - 1])));
    if (act) { event.preventDefault(); act(); }
  });
  startTheme();
  const [tab, choice] = location.hash.slice(1).split('/').map(decodeURIComponent);
  show(ORDER.includes(tab) ? tab : 'passes', choice);
}
start();
