'use strict';
// The module after each pass, and what the pass changed.

function passItems() {
  const slowest = Math.max(1e-9, ...DATA.passes.map(p => p.ms));
  return DATA.passes.map((pass, i) => ({
    key: String(i), same: i > 0 && !pass.changed,
    row: [e('small', {}, String(i)), e('span.name', { title: pass.name }, pass.name),
      e('small', {}, i ? pass.ms.toFixed(1) : ''), e('span.bar', {}, e('i', { style: `width:${100 * pass.ms / slowest}%` }))],
  }));
}

// For each function of the pass: its text before and after, by name.
function passChanges(index) {
  const before = new Map(index ? DATA.passes[index - 1].functions : []), list = [];
  for (const [name, text] of DATA.passes[index].functions) {
    const old = before.get(name);
    before.delete(name);
    list.push({ name, text, old, state: index === 0 ? 'first' : old === undefined ? 'new' : old === text ? 'same' : 'changed' });
  }
  for (const [name, old] of before) list.push({ name, old, state: 'gone' });
  return list;
}

function passDetail(section, key) {
  const index = Number(key), pass = DATA.passes[index], about = DATA.descriptions[pass.name] || {};
  section.append(e('h2', {}, pass.name),
    e('p.lead', {}, index === 0 ? 'The module as it comes in.' : about.what || '',
      about.needed ? ` Needed: ${about.needed}.` : ''));
  const changes = passChanges(index);
  const changed = changes.filter(c => c.state !== 'same' && c.state !== 'first');
  const same = changes.filter(c => c.state === 'same' || c.state === 'first');
  if (index > 0) section.append(e('p', {}, changed.length ? '' : 'Changed nothing. ',
    e('span.badge', {}, `${pass.ms.toFixed(2)} ms`), ' ', e('span.badge', {}, `${changed.length} of ${changes.length} functions changed`)));
  // The first ones are open; the rest opens when somebody looks.
  changed.forEach((change, i) => section.append(functionDetails(change, i < 4)));
  if (same.length) {
    if (index > 0) section.append(e('h3', {}, 'Unchanged'));
    same.forEach((change, i) => section.append(functionDetails(change, index === 0 && i < 2)));
  }
}

function functionDetails(change, open) {
  const a = change.old === undefined ? [] : DATA.texts[change.old], b = change.text === undefined ? [] : DATA.texts[change.text];
  const details = e('details.fn');
  const count = e('span');
  details.append(e('summary', {}, e('span.name', {}, '@' + change.name), count,
    e('span.badge', {}, { first: `${b.length} lines`, same: `${b.length} lines`, 'new': 'new', gone: 'gone', changed: 'changed' }[change.state])));
  const fill = () => {
    if (details.filled) return;
    details.filled = true;
    const rows = change.state === 'changed' ? textDifferences(a, b) : change.state === 'gone' ? a.map(x => ['-', x])
      : b.map(x => [change.state === 'new' ? '+' : ' ', x]);
    if (change.state === 'changed') {
      count.append(e('span.plus', {}, '+' + rows.filter(r => r[0] === '+').length), ' ',
        e('span.minus', {}, '−' + rows.filter(r => r[0] === '-').length));
    }
    details.append(codeBlock(rows, change.state === 'changed'));
  };
  details.addEventListener('toggle', () => { if (details.open) fill(); });
  if (open) { details.open = true; fill(); }
  return details;
}

TABS.passes = { title: 'Passes', count: () => DATA.passes.length, items: passItems, detail: passDetail,
  first: () => String(Math.max(0, DATA.passes.findIndex((p, i) => i > 0 && p.changed))),
  matches: (key, query) => {
    for (const [name, text] of DATA.passes[Number(key)].functions)
      if (name.toLowerCase().includes(query) || DATA.texts[text].some(line => lineMatches(line, query))) return true;
    return false;
  } };
