'use strict';
// The data, elements, expressions over symbols, and what all tabs share.
const DATA = JSON.parse(document.getElementById('data').textContent);

// e('div.item', {onclick}, child, …): an element; strings become text, never markup.
function e(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity))
    if (child != null && child !== false) element.append(child);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Expressions as the compiler prints them: + - *, floordiv, ceildiv, mod, min, max, parentheses.
// parseExpression gives a function of {symbol: value}; it never runs text as code.
function parseExpression(text) {
  const tokens = text.match(/[A-Za-z_][\w.$]*|\d+|[-+*(),]/g) || [];
  let at = 0;
  const peek = () => tokens[at];
  const expect = token => { if (tokens[at++] !== token) throw new Error(`'${text}': expected ${token}`); };
  const FUNCTIONS = {
    floordiv: (a, b) => Math.floor(a / b), ceildiv: (a, b) => Math.ceil(a / b),
    mod: (a, b) => a - b * Math.floor(a / b), min: (...v) => Math.min(...v), max: (...v) => Math.max(...v),
  };
  function primary() {
    const token = tokens[at++];
    if (token === undefined) throw new Error(`'${text}' ends early`);
    if (token === '-') { const operand = primary(); return s => -operand(s); }
    if (token === '(') { const inner = sum(); expect(')'); return inner; }
    if (/^\d/.test(token)) { const value = Number(token); return () => value; }
    if (peek() === '(' && FUNCTIONS[token]) {
      at++;
      const operands = [sum()];
      while (peek() === ',') { at++; operands.push(sum()); }
      expect(')');
      const apply = FUNCTIONS[token];
      return s => apply(...operands.map(o => o(s)));
    }
    return s => { if (!(token in s)) throw new Error(`no value for ${token}`); return s[token]; };
  }
  function product() {
    let left = primary();
    for (;;) {
      if (peek() === '*') { at++; const a = left, b = primary(); left = s => a(s) * b(s); }
      else if (['floordiv', 'ceildiv', 'mod'].includes(peek())) {
        const apply = FUNCTIONS[tokens[at++]], a = left, b = primary();
        left = s => apply(a(s), b(s));
      } else return left;
    }
  }
  function sum() {
    let left = product();
    while (peek() === '+' || peek() === '-') {
      const sign = tokens[at++] === '+' ? 1 : -1, a = left, b = product();
      left = s => a(s) + sign * b(s);
    }
    return left;
  }
  const result = sum();
  if (at !== tokens.length) throw new Error(`'${text}': can't be read at '${tokens[at]}'`);
  return result;
}

function bytesText(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0, value = n;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return `${unit ? value.toFixed(value < 10 ? 2 : 1) : value} ${units[unit]}`;
}

// What all tabs read: the search, and whether types are short.
const TABS = {};
const STATE = { query: '', short: true, tab: 'passes', choice: {} };

const tip = e('div', { hidden: true });
tip.id = 'tip';
function showTip(event, ...content) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + 'px';
  tip.style.top = Math.min(event.clientY + 14, innerHeight - box.height - 8) + 'px';
}
function hideTip() { tip.hidden = true; }

const KIND_COLORS = {
  elementwise: '--k0', broadcast: '--k5', injective: '--k2', reduction: '--k1', 'output-fusible': '--k4',
  opaque: '--k3', kernel: '--k3', library: '--k6', op: '--k0', control: '--k1', weight: '--k6', argument: '--k2', guard: '--k5', 'return': '--k2',
};
function kindColor(kind) {
  return getComputedStyle(document.documentElement).getPropertyValue(KIND_COLORS[kind] || '--k3').trim();
}
