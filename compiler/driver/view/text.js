'use strict';
// IR as text: short types, colours, differences of two texts line by line.

// tensor<?x576xf32, #relax.shape<[t, 576]>>  as  [t, 576]f32; loc-free and without #relax.expr.
function shorten(line) {
  return line
    .replace(/tensor<((?:(?:\?|\d+)x)*)([a-z]+\d+)(?:, #relax\.shape<\[([^\]]*)\]>)?>/g,
      (all, dims, element, shape) => shape !== undefined ? `[${shape}]${element}`
        : dims.includes('?') ? all : `[${dims.slice(0, -1).replace(/x/g, ', ')}]${element}`)
    .replace(/#relax\.expr<([^<>]*)>/g, '$1')
    .replace(/#relax\.shape<(\[[^\]]*\])>/g, '$1')
    .replace(/affine_map<([^<>]*(?:->)?[^<>]*)>/g, '$1');
}

const TOKEN = /("(?:[^"\\]|\\.)*")|(%[\w#.:]+)|([@#!][\w.$-]+)|(\b(?:func\.func|return|private|public|attributes|module|relax\.[a-z_0-9]+|linalg\.[a-z_0-9]+|arith\.[a-z_0-9]+|math\.[a-z_0-9]+|tensor\.[a-z_0-9]+|vector\.[a-z_0-9]+|memref\.[a-z_0-9]+|scf\.[a-z_0-9]+)\b)|(\b(?:tensor|memref|vector|index|[fi]\d+|bf16|ui8)\b)|(\b\d+(?:\.\d+(?:e[-+]\d+)?)?\b)/g;
const TOKEN_CLASSES = ['str', 'sym', 'fn', 'kw', 'ty', 'num'];
const MAX_LINE = 1600;

function appendMarked(parent, text) {
  const query = STATE.query;
  if (!query) { parent.append(text); return; }
  const low = text.toLowerCase();
  let from = 0;
  for (let at; (at = low.indexOf(query, from)) >= 0; from = at + query.length)
    parent.append(text.slice(from, at), e('mark', {}, text.slice(at, at + query.length)));
  parent.append(text.slice(from));
}

function coloured(text) {
  const line = e('span.src');
  let whole = STATE.short ? shorten(text) : text;
  const cut = whole.length > MAX_LINE;
  if (cut) whole = whole.slice(0, MAX_LINE);
  let from = 0;
  for (const match of whole.matchAll(TOKEN)) {
    if (match.index > from) appendMarked(line, whole.slice(from, match.index));
    const kind = TOKEN_CLASSES[match.slice(1).findIndex(group => group !== undefined)];
    const part = e('span.' + kind);
    appendMarked(part, match[0]);
    line.append(part);
    from = match.index + match[0].length;
  }
  appendMarked(line, whole.slice(from));
  if (cut) line.append(e('span.dim', { title: 'the line goes on' }, ` … ${text.length - MAX_LINE} more`));
  return line;
}

// The shortest edit script of two arrays of numbers, by Myers' greedy algorithm; beyond `limit` edits,
// where nobody would read it, everything is replaced. [[op, number of line], …], op one of ' +-'.
function differences(a, b, limit = 2600) {
  let start = 0, endA = a.length, endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) start++;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  const head = a.slice(0, start).map(x => [' ', x]), tail = a.slice(endA).map(x => [' ', x]);
  const left = a.slice(start, endA), right = b.slice(start, endB);
  return [...head, ...middle(left, right, limit), ...tail];
}
function middle(a, b, limit) {
  const all = () => [...a.map(x => ['-', x]), ...b.map(x => ['+', x])];
  if (!a.length || !b.length) return all();
  const max = Math.min(a.length + b.length, limit), size = 2 * max + 3;
  const trace = [];
  let reach = new Int32Array(size);
  for (let d = 0; d <= max; d++) {
    trace.push(reach.slice(max + 1 - d - 1, max + 1 + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const at = max + 1 + k;
      let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[at] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace, d);
    }
  }
  return all();
}
function backtrack(a, b, trace, d) {
  const out = [];
  let x = a.length, y = b.length;
  for (; d >= 0; d--) {
    const reach = trace[d], at = k => reach[k + d + 1];
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const previousK = down ? k + 1 : k - 1;
    const previousX = d === 0 ? 0 : at(previousK), previousY = d === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY && (d === 0 || x > (down ? previousX : previousX + 1))) {
      out.push([' ', a[--x]]); y--;
    }
    if (d === 0) break;
    if (down) out.push(['+', b[--y]]); else out.push(['-', a[--x]]);
  }
  return out.reverse();
}

// What a line says apart from indentation and the numbers of values: a pass that only renumbers
// changes nothing that anybody wants to read.
const meanings = new Map(), meaningOf = [];
function meaning(line) {
  if (meaningOf[line] === undefined) {
    const text = DATA.lines[line].trim().replace(/%\d+/g, '%');
    if (!meanings.has(text)) meanings.set(text, meanings.size);
    meaningOf[line] = meanings.get(text);
  }
  return meaningOf[line];
}
// The differences of two texts by meaning; a row that stays is shown as it is now.
function textDifferences(a, b) {
  let i = 0, j = 0;
  return differences(a.map(meaning), b.map(meaning)).map(([op]) => {
    if (op === '-') return [op, a[i++]];
    if (op === ' ') i++;
    return [op, b[j++]];
  });
}

// A block of code that makes its rows as they come into view: rows are [op, number of line].
const CONTEXT = 3, CHUNK = 300;
function codeBlock(rows, folded) {
  const block = e('div.code');
  const parts = folded ? fold(rows) : [{ rows, from: 1 }];
  for (const part of parts) {
    if (part.skip) {
      const bar = e('div.skip', { onclick: () => bar.replaceWith(...chunks(part.rows, part.from)) },
        `⋯ ${part.rows.length} unchanged lines`);
      block.append(bar);
    } else block.append(...chunks(part.rows, part.from));
  }
  return block;
}
function fold(rows) {
  const keep = new Uint8Array(rows.length);
  rows.forEach(([op], i) => {
    if (op !== ' ') for (let j = Math.max(0, i - CONTEXT); j <= Math.min(rows.length - 1, i + CONTEXT); j++) keep[j] = 1;
  });
  const parts = [];
  let number = 1;
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (end < rows.length && keep[end] === keep[i]) end++;
    const part = { rows: rows.slice(i, end), from: number, skip: !keep[i] };
    number += part.rows.filter(([op]) => op !== '-').length;
    parts.push(part);
    i = end;
  }
  return parts;
}
const lazily = 'IntersectionObserver' in window ? new IntersectionObserver(entries => {
  for (const entry of entries)
    if (entry.isIntersecting && entry.target.fill) {
      lazily.unobserve(entry.target);
      entry.target.fill();
    }
}, { rootMargin: '600px' }) : null;
function chunks(rows, from) {
  const list = [];
  let number = from;
  for (let i = 0; i < rows.length; i += CHUNK) {
    const part = rows.slice(i, i + CHUNK), first = number;
    number += part.filter(([op]) => op !== '-').length;
    const holder = e('div');
    holder.fill = () => {
      holder.style.minHeight = '';
      let n = first;
      holder.replaceChildren(...part.map(([op, line]) => e(
        op === '+' ? 'div.row.add' : op === '-' ? 'div.row.del' : 'div.row', {},
        e('span.no', {}, op === '-' ? '' : String(n++)), coloured(DATA.lines[line]))));
      holder.fill = null;
    };
    if (i === 0 || !lazily) holder.fill();
    else { holder.style.minHeight = part.length * 20 + 'px'; lazily.observe(holder); }
    list.push(holder);
  }
  return list;
}
