'use strict';
// The graph functions, drawn in layers from top to bottom. Weights and constants are folded into
// the nodes that read them. Only what is in view is drawn.

// A value that many read far below would cover the picture with lines: those show when its node, or
// theirs, is chosen.
const MANY_USERS = 5, FAR_ROWS = 9;

const NODE_W = 190, NODE_H = 40, GAP_X = 26, GAP_Y = 34;

function graphItems() {
  const list = [];
  for (const [stage, title] of [['imported', 'as imported'], ['lowered', 'before scheduling']])
    for (const graph of DATA.graphs[stage] || [])
      list.push({ key: stage + '/' + graph.name, row: [e('span.name', {}, '@' + graph.name), e('small', {}, `${title}, ${graph.nodes.length}`)] });
  return list;
}

function graphOf(key) {
  const [stage, ...name] = key.split('/');
  return (DATA.graphs[stage] || []).find(g => g.name === name.join('/'));
}

// Layers by the longest path; the order inside a layer by the middle of what a node reads, swept
// twice. Linear in nodes and edges but for the sorting.
function layOut(graph) {
  const nodes = graph.nodes.map((node, id) => ({ ...node, id, folded: node.kind === 'weight' }));
  const layers = [];
  for (const node of nodes) {
    node.from = node.inputs.filter(i => !nodes[i].folded);
    node.weights = node.inputs.filter(i => nodes[i].folded);
    node.layer = node.from.length ? 1 + Math.max(...node.from.map(i => nodes[i].layer)) : 0;
  }
  const users = nodes.map(() => []);
  nodes.forEach(n => n.from.forEach(i => users[i].push(n.id)));
  // What nothing feeds stands just above its first reader, not all at the top.
  for (const node of nodes)
    if (!node.from.length && users[node.id].length)
      node.layer = Math.max(0, Math.min(...users[node.id].map(i => nodes[i].layer)) - 1);
  for (const node of nodes) if (!node.folded) (layers[node.layer] ||= []).push(node);
  const place = list => list.forEach((node, i) => { node.x = (i - (list.length - 1) / 2) * (NODE_W + GAP_X); });
  const used = layers.filter(Boolean);
  used.forEach((list, i) => { list.forEach(n => { n.row = i; }); place(list); });
  const middleOf = (ids, otherwise) => ids.length ? ids.reduce((s, i) => s + nodes[i].x, 0) / ids.length : otherwise;
  for (let sweep = 0; sweep < 2; sweep++) {
    for (const list of used) { list.forEach(n => { n.key = middleOf(n.from, n.x); }); list.sort((a, b) => a.key - b.key); place(list); }
    for (const list of [...used].reverse()) { list.forEach(n => { n.key = middleOf(users[n.id], n.x); }); list.sort((a, b) => a.key - b.key); place(list); }
  }
  const widest = Math.max(1, ...used.map(l => l.length)) * (NODE_W + GAP_X);
  for (const node of nodes) if (!node.folded) { node.x += widest / 2 - NODE_W / 2; node.y = 20 + node.row * (NODE_H + GAP_Y); }
  return { nodes, users, rows: used, width: widest, height: used.length * (NODE_H + GAP_Y) + 40 };
}

function shapeText(type) { return type ? shorten(type) : ''; }
function clip(text, length) { return text.length > length ? text.slice(0, length - 1) + '…' : text; }

function graphDetail(section, key) {
  const graph = graphOf(key);
  const plan = layOut(graph);
  const kinds = [...new Set(plan.nodes.map(n => n.kind))];
  section.append(e('h2', {}, '@' + graph.name), e('div.controls', {},
    e('span.legend', {}, kinds.map(kind => e('span', {}, e('i', { style: `background:var(${KIND_COLORS[kind] || '--k3'})` }), kind)))));
  const box = e('div.graph'), picture = svg('svg', { width: Math.max(plan.width, 400), height: plan.height });
  box.append(picture);
  section.append(box);
  let chosen = -1;
  const visibleRows = () => {
    const first = Math.max(0, Math.floor((box.scrollTop - 300) / (NODE_H + GAP_Y)));
    const last = Math.ceil((box.scrollTop + (box.clientHeight || 800) + 300) / (NODE_H + GAP_Y));
    return [first, Math.min(plan.rows.length, last)];
  };
  const edge = (from, to) => svg('path', {
    'class': 'edge' + (from.id === chosen || to.id === chosen ? ' on' : ''),
    d: `M${from.x + NODE_W / 2},${from.y + NODE_H} C${from.x + NODE_W / 2},${from.y + NODE_H + GAP_Y} ${to.x + NODE_W / 2},${to.y - GAP_Y} ${to.x + NODE_W / 2},${to.y}`,
  });
  const isDrawn = (from, to) => from.id === chosen || to.id === chosen || to.row - from.row < FAR_ROWS || plan.users[from.id].length < MANY_USERS;
  const drawNode = node => {
    const hit = STATE.query && (node.label + ' ' + node.types.join(' ')).toLowerCase().includes(STATE.query);
    const group = svg('g', {
      'class': 'node' + (node.id === chosen ? ' on' : '') + (hit ? ' hit' : ''), transform: `translate(${node.x},${node.y})`,
      onclick: () => { chosen = node.id; draw(); },
      onmousemove: event => showTip(event, e('b', {}, node.label), e('div.dim', {}, node.op + (node.place ? ' · ' + node.place : '')),
        ...node.types.map(t => e('div.expr', {}, shapeText(t))),
        ...node.from.filter(i => !isDrawn(plan.nodes[i], node)).map(i => e('div.dim', {}, 'reads ' + plan.nodes[i].label)),
        ...node.weights.map(i => e('div.dim', {}, 'reads ' + plan.nodes[i].label))),
      onmouseleave: hideTip,
    });
    const label = svg('text', { x: 14, y: 17 }), shape = svg('text', { x: 14, y: 32, 'class': 'shape' });
    label.textContent = clip(node.label, 25);
    shape.textContent = clip(node.types.map(shapeText).join(' '), 26);
    group.append(svg('rect', { 'class': 'box', width: NODE_W, height: NODE_H }),
      svg('rect', { 'class': 'stripe', width: 5, height: NODE_H, style: `fill:var(${KIND_COLORS[node.kind] || '--k3'})` }), label, shape);
    return group;
  };
  const draw = () => {
    const [first, last] = visibleRows(), parts = [], edges = [];
    for (let r = first; r < last; r++)
      for (const node of plan.rows[r]) {
        parts.push(drawNode(node));
        for (const i of node.from) if (isDrawn(plan.nodes[i], node)) edges.push(edge(plan.nodes[i], node));
        for (const i of plan.users[node.id]) if (plan.nodes[i].row >= last && isDrawn(node, plan.nodes[i])) edges.push(edge(node, plan.nodes[i]));
      }
    picture.replaceChildren(...edges, ...parts);
  };
  let waiting = false;
  box.addEventListener('scroll', () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } });
  draw();
  requestAnimationFrame(() => { box.scrollLeft = (plan.width - box.clientWidth) / 2; draw(); });
}

TABS.graph = { title: 'Graph', count: () => graphItems().length, items: graphItems, detail: graphDetail,
  first: () => (graphItems().find(i => i.key.startsWith('lowered/') && i.key !== 'lowered/initialize') || graphItems()[0] || {}).key,
  matches: (key, query) => graphOf(key).nodes.some(n => n.label.toLowerCase().includes(query)) };
