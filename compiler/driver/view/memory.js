'use strict';
// The arena over time: one rectangle a block, from where it is written to its last use. Offsets and
// sizes are evaluated here, from the expressions of the plan, whenever a slider moves.

const ALIGNMENT = 64;
function memoryItems() {
  return DATA.memory.map((plan, i) => ({ key: String(i), row: [e('span.name', {}, '@' + plan.name), e('small', {}, `${plan.blocks.length} blocks`)] }));
}

function compiledPlan(plan) {
  if (!plan.compiled) {
    plan.compiled = plan.blocks.map(b => ({ ...b, at: parseExpression(b.offset), bytes: parseExpression(b.size) }));
    plan.arenaOf = parseExpression(plan.arena);
  }
  return plan.compiled;
}

// Blocks with numbers, the arena's size, and the most bytes that are in use at once, which no plan of
// these lives goes below. A result that takes over a dying operand's place is counted once.
function evaluatePlan(plan, values) {
  const blocks = compiledPlan(plan).map(b => ({ ...b, low: b.at(values), length: b.bytes(values) }));
  const living = plan.steps.map(() => []);
  for (const b of blocks) for (let step = b.from; step <= b.to; step++) living[step].push(b);
  let most = 0;
  for (const list of living) {
    let used = 0, top = 0;
    for (const b of list.sort((a, b) => a.low - b.low)) {
      const low = Math.max(top, b.low), high = b.low + Math.ceil(b.length / ALIGNMENT) * ALIGNMENT;
      if (high > low) { used += high - low; top = high; }
    }
    most = Math.max(most, used);
  }
  return { blocks, arena: plan.arenaOf(values), most };
}

function sliderRange(symbol) {
  const top = symbol.upper === null ? 4096 : symbol.upper;
  return { lower: symbol.lower, upper: Math.max(top, symbol.lower), step: symbol.divisor || 1 };
}

function memoryDetail(section, key) {
  const plan = DATA.memory[Number(key)];
  const values = {};
  const used = new Set((plan.arena + ' ' + plan.blocks.map(b => b.offset + ' ' + b.size).join(' ')).match(/[A-Za-z_]\w*/g) || []);
  const symbols = plan.symbols.filter(s => used.has(s.name));
  const size = e('span.big'), bound = e('span.dim'), formula = e('code');
  size.id = 'arena';
  const canvas = e('canvas', { height: 460 });
  const picture = e('div.picture', {}, canvas);
  let state = null;
  const update = () => {
    try {
      state = evaluatePlan(plan, values);
      size.textContent = bytesText(state.arena);
      size.dataset.bytes = state.arena;
      bound.textContent = state.most ? ` of which at most ${bytesText(state.most)} are in use at once (${(100 * state.most / state.arena).toFixed(1)} %)` : '';
    } catch (error) { size.textContent = error.message; }
    draw(canvas, plan, state);
  };
  const sliders = symbols.map(symbol => {
    const range = sliderRange(symbol), start = Math.min(range.upper, Math.max(range.lower, range.step * Math.ceil(16 / range.step)));
    values[symbol.name] = start;
    const set = (value, other) => { values[symbol.name] = Number(value); other.value = value; update(); };
    // Sizes span magnitudes: the slider moves in powers.
    const toSlider = v => Math.log2(1 + v - range.lower), fromSlider = x => {
      const raw = Math.round(2 ** x - 1) + range.lower;
      return Math.min(range.upper, Math.round(raw / range.step) * range.step);
    };
    const slide = e('input', { type: 'range', min: 0, max: toSlider(range.upper), step: 'any', value: toSlider(start), 'aria-label': symbol.name, 'data-symbol': symbol.name });
    const number = e('input', { type: 'number', min: range.lower, max: symbol.upper === null ? '' : range.upper, step: range.step, value: start });
    slide.addEventListener('input', () => set(fromSlider(Number(slide.value)), number));
    number.addEventListener('input', () => { values[symbol.name] = Number(number.value); slide.value = toSlider(Number(number.value)); update(); });
    return e('label.slider', {}, symbol.name, slide, number);
  });
  section.append(e('h2', {}, '@' + plan.name), e('div', {}, size, bound),
    e('div.controls', {}, sliders), picture,
    e('p.dim', {}, `Left to right: ${plan.steps.length} steps of the function. Bottom to top: bytes of the arena. A rectangle is a block's life.`),
    e('h3', {}, 'The arena as a formula'), e('code.expr', {}, plan.arena));
  formula.textContent = plan.arena;
  canvas.addEventListener('mousemove', event => {
    const block = state && blockAt(canvas, plan, state, event);
    if (!block) return hideTip();
    showTip(event, e('b', {}, block.name), e('div.expr', {}, shorten(block.type)),
      e('div', {}, `${bytesText(block.length)} at ${block.low.toLocaleString('en')}`), e('div.expr.dim', {}, 'offset ' + block.offset), e('div.dim', {}, `steps ${block.from} to ${block.to}`));
  });
  canvas.addEventListener('mouseleave', hideTip);
  update();
  requestAnimationFrame(update);
  section.redraw = () => draw(canvas, plan, state);
}

function scaleOf(canvas, plan, state) {
  const width = canvas.clientWidth || 900, height = 460;
  return { width, height, x: width / Math.max(1, plan.steps.length), y: (height - 20) / Math.max(1, state.arena) };
}
const HUES = new Map();
function hueOf(name) {
  const base = name.replace(/[_#]?\d+$/, '');
  if (!HUES.has(base)) HUES.set(base, (HUES.size * 137.5 + 210) % 360);
  return HUES.get(base);
}
function draw(canvas, plan, state) {
  if (!state) return;
  const { width, height, x, y } = scaleOf(canvas, plan, state), ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = height + 'px';
  const c = canvas.getContext('2d'), dark = document.documentElement.classList.contains('dark');
  c.scale(ratio, ratio);
  c.clearRect(0, 0, width, height);
  for (const b of state.blocks) {
    const left = b.from * x, wide = Math.max(1, (b.to - b.from + 1) * x), tall = Math.max(b.length ? 1 : 0, b.length * y);
    const top = height - (b.low + b.length) * y, hit = STATE.query && b.name.toLowerCase().includes(STATE.query);
    c.fillStyle = `hsl(${hueOf(b.name)} ${dark ? '45% 45%' : '58% 66%'} / ${STATE.query && !hit ? .18 : .88})`;
    c.fillRect(left, top, wide, tall);
    c.strokeStyle = dark ? '#14161a' : '#ffffff';
    c.lineWidth = .6;
    c.strokeRect(left, top, wide, tall);
    if (wide > 46 && tall > 13) {
      c.save();
      c.beginPath();
      c.rect(left, top, wide - 3, tall);
      c.clip();
      c.fillStyle = dark ? '#eef' : '#1a2230';
      c.font = '10.5px system-ui, sans-serif';
      c.fillText(b.name, left + 4, top + Math.min(12, tall / 2 + 4));
      c.restore();
    }
  }
}
function blockAt(canvas, plan, state, event) {
  const box = canvas.getBoundingClientRect(), { height, x, y } = scaleOf(canvas, plan, state);
  const step = (event.clientX - box.left) / x, byte = (height - (event.clientY - box.top)) / y;
  return state.blocks.find(b => step >= b.from && step < b.to + 1 && byte >= b.low && byte < b.low + b.length);
}

TABS.memory = { title: 'Memory', count: () => DATA.memory.length, items: memoryItems, detail: memoryDetail,
  first: () => DATA.memory.length ? String(DATA.memory.findIndex(p => p.blocks.length === Math.max(...DATA.memory.map(q => q.blocks.length)))) : undefined,
  matches: (key, query) => DATA.memory[Number(key)].blocks.some(b => b.name.toLowerCase().includes(query)) };
