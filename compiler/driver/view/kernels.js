'use strict';
// Each kernel: what it computes, how it was scheduled, and the loops that came of it.

function kernelItems() {
  return Object.entries(DATA.kernels).map(([name, kernel]) => ({
    key: name, row: [e('span.name', { title: name }, name), e('small', {}, kernel.strategy || kernel.kind || ''), e('small', {}, '×' + (kernel.calls || 0))],
  }));
}

function kernelDetail(section, name) {
  const kernel = DATA.kernels[name];
  const facts = [
    ['strategy', kernel.strategy && e('span.badge', {}, kernel.strategy)], ['kind', kernel.kind && e('span.badge', {}, kernel.kind)],
    ['calls', kernel.calls], ['symbols', (kernel.symbols || []).join(', ') || 'none'],
    ['operands', (kernel.inputs || []).map(t => e('div.expr', {}, shorten(t)))],
    ['results', (kernel.results || []).map(t => e('div.expr', {}, shorten(t)))],
    ['bytes touched', kernel.bytes && e('span.expr', {}, simplifyText(kernel.bytes))],
    ['operations', kernel.cost && e('span.expr', {}, kernel.cost)], ['parallel units', kernel.units && e('span.expr', {}, kernel.units)],
  ];
  section.append(e('h2', {}, '@' + name), e('dl.facts', {}, facts.filter(f => f[1] !== undefined && f[1] !== '')
    .map(([key, value]) => [e('dt', {}, key), e('dd', {}, value)])), valuesOf(kernel));
  for (const [title, text] of [['Program', kernel.program], ['Loops', kernel.loops]])
    if (text !== undefined)
      section.append(e('h3', {}, title), e('details.fn', { open: true }, e('summary', {}, e('span.name', {}, '@' + name), e('span.badge', {}, `${DATA.texts[text].length} lines`)),
        codeBlock(DATA.texts[text].map(x => [' ', x]), false)));
}

// "4 * (3) * (2)" as its number where there are no symbols.
function simplifyText(text) {
  try { return parseExpression(text)({}).toLocaleString('en'); } catch { return text.replace(/\((\w+)\)/g, '$1'); }
}

// What operations and bytes are for values of the symbols.
function valuesOf(kernel) {
  if (!(kernel.symbols || []).length || !kernel.bytes) return '';
  const values = Object.fromEntries(kernel.symbols.map(s => [s, 16]));
  const out = e('span.expr');
  const update = () => {
    try {
      const bytes = parseExpression(kernel.bytes)(values), cost = kernel.cost ? parseExpression(kernel.cost)(values) : undefined;
      out.textContent = bytesText(bytes) + (cost === undefined ? '' : ` · ${cost.toLocaleString('en')} operations · ${(cost / Math.max(1, bytes)).toFixed(2)} a byte`);
    } catch (error) { out.textContent = error.message; }
  };
  update();
  return e('div.controls', {}, kernel.symbols.map(symbol => e('label.expr', {}, symbol + ' = ',
    e('input', { type: 'number', value: 16, min: 0, style: 'width:80px', oninput: event => { values[symbol] = Number(event.target.value); update(); } }))), out);
}

TABS.kernels = { title: 'Kernels', count: () => Object.keys(DATA.kernels).length, items: kernelItems, detail: kernelDetail,
  first: () => Object.keys(DATA.kernels)[0],
  matches: (key, query) => key.toLowerCase().includes(query) || [DATA.kernels[key].program, DATA.kernels[key].loops].some(t => t !== undefined && DATA.texts[t].some(l => lineMatches(l, query))) };
